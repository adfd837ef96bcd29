// A streamed answer in the OpenAI form: the data of its server-sent events, one chunk each.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"

namespace models::openai {

// The chunks of one answer: the same id, time and model in all of them.
class Chunks {
 public:
  // `choice`: which of several answers to one request it is.
  Chunks(std::string_view id, std::string_view model, std::size_t choice = 0);

  std::string opening() const;
  std::string piece(const AnswerPiece&) const;
  std::string end(Finish) const;
  // With all reasoning as reasoning_details, complete and once: clients keep the last delta of a member that they do
  // not know.
  std::string end(const ChatAnswer&) const;
  std::string usage(const TokenUsage&) const;
  // A chunk that adds nothing to the answer but these members beside its choices.
  std::string extended(const boost::json::object& members) const;

 private:
  std::string delta(boost::json::object content, boost::json::value finish = nullptr) const;
  std::string text(std::string_view piece) const;

  const std::string common_;  // what all begin with, up to the comma after their model
  const std::size_t choice_;
};

}  // namespace models::openai
