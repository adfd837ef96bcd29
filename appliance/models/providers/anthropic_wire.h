// Anthropic's Messages API, version 2023-06-01: requests and answers, whole and as a stream.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"
#include "appliance/models/providers/text_joiner.h"
#include "appliance/models/providers/wire_json.h"
#include "web/result.h"

namespace models::anthropic {

inline constexpr std::string_view version = "2023-06-01";

// The tool whose arguments are the answer, for a response_format.
inline constexpr std::string_view answer_tool = "answer_in_json";

// What the API has no way to say, as a sentence that names the field.
std::optional<std::string> cannot(const ChatRequest&);
// request.max_tokens must be set: the API asks for it.
boost::json::object to_wire(const ChatRequest&);
// Kind::bad_gateway with a clause to put after the upstream's name.
web::Result<ChatAnswer> parse_answer(std::string_view body, const ChatRequest&);

class AnswerStream {
 public:
  explicit AnswerStream(Listener& listener) : listener_(listener) {}

  // The data of one event; its type is inside. False: the answer has ended.
  bool event(std::string_view data);
  const std::optional<ReportedError>& reported_error() const { return reported_error_; }
  bool is_complete() const { return complete_; }
  ChatAnswer take(const ChatRequest&);

 private:
  void begin_block(const boost::json::object&);
  void grow_block(const boost::json::object&);
  void say(std::string_view);
  void think(std::int64_t block, Reasoning piece);
  void end_block(const boost::json::object&);

  Listener& listener_;
  ChatAnswer answer_;
  boost::json::object usage_;
  std::string stop_reason_;
  std::map<std::int64_t, std::size_t> calls_;     // block's index: place in tool_calls
  std::map<std::int64_t, std::size_t> thoughts_;  // block's index: place in reasoning
  std::optional<std::int64_t> answer_block_;      // the call of answer_tool, whose arguments are text
  TextJoiner text_, thinking_, arguments_;
  std::optional<ReportedError> reported_error_;
  bool complete_ = false;
};

}  // namespace models::anthropic
