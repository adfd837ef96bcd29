// Google's Gemini API (v1beta, generateContent): requests and answers, whole and as a stream.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"
#include "appliance/models/providers/text_joiner.h"
#include "appliance/models/providers/wire_json.h"
#include "web/result.h"

namespace models::google {

// What the API has no way to say, as a sentence that names the field.
std::optional<std::string> cannot(const ChatRequest&);
// Without the model, which is part of the path.
boost::json::object to_wire(const ChatRequest&);
// Kind::bad_gateway with a clause to put after the upstream's name.
web::Result<ChatAnswer> parse_answer(std::string_view body, const ChatRequest&);

// Each event is an answer of its own that holds the next piece; the last one names the reason to finish.
class AnswerStream {
 public:
  explicit AnswerStream(Listener& listener) : listener_(listener) {}

  bool event(std::string_view data);
  const std::optional<ReportedError>& reported_error() const { return reported_error_; }
  bool is_complete() const { return complete_; }
  ChatAnswer take(const ChatRequest&);

 private:
  void add(std::string text, std::string thought, std::string signature);

  Listener& listener_;
  TextJoiner text_, thoughts_;
  ChatAnswer answer_;
  std::optional<TokenUsage> usage_;
  std::string finish_;
  std::optional<ReportedError> reported_error_;
  bool complete_ = false;
};

}  // namespace models::google
