// A streamed answer in the OpenAI form, put together as its chunks come.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"

namespace models::openai {

class AnswerStream {
 public:
  // Pieces go to the listener as they come.
  explicit AnswerStream(Listener& listener) : listener_(listener) {}

  // The data of one event. False: the answer has ended.
  bool event(std::string_view data);

  // An error that came in place of a chunk, or data that is not a chunk.
  struct Told {
    std::string type, message;
  };
  const std::optional<Told>& told() const { return told_; }
  // A reason to finish or the closing [DONE] has come.
  bool is_complete() const { return complete_; }
  // The whole, once complete. Usage that did not come is estimated.
  ChatAnswer take(const ChatRequest&);

 private:
  void choice(const boost::json::object&);
  void call(const boost::json::object&, std::size_t position);

  Listener& listener_;
  ChatAnswer answer_;
  std::string finish_;
  std::optional<TokenUsage> usage_;
  std::optional<Told> told_;
  bool complete_ = false;
};

// A whole answer as if it had streamed.
void tell(const ChatAnswer&, Listener&);

}  // namespace models::openai
