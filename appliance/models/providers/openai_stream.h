// Assembles a streamed answer in OpenAI's form from its chunks.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"
#include "appliance/models/providers/wire_json.h"

namespace models::openai {

class AnswerStream {
 public:
  // Pieces are passed to the listener as they arrive.
  explicit AnswerStream(Listener& listener) : listener_(listener) {}

  // Takes the data of one event. Returns false at the end of the answer.
  bool event(std::string_view data);

  // An error sent instead of a chunk, or data that is not a chunk.
  const std::optional<ReportedError>& reported_error() const { return reported_error_; }
  // As the chunks name it; empty before the first one.
  const std::string& model() const { return answer_.model; }
  // A finish reason or the closing [DONE] was received.
  bool is_complete() const { return complete_; }
  // The whole answer, once complete. Usage that was not reported is estimated.
  ChatAnswer take(const ChatRequest&);

 private:
  void choice(const boost::json::object&);
  void call(const boost::json::object&, std::size_t position);

  Listener& listener_;
  ChatAnswer answer_;
  std::string finish_;
  std::optional<TokenUsage> usage_;
  std::optional<ReportedError> reported_error_;
  bool complete_ = false;
};

// Passes a whole answer to the listener as if it were streamed.
void replay(const ChatAnswer&, Listener&);

}  // namespace models::openai
