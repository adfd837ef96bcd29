// Assembles a streamed answer in OpenAI's form from its chunks.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/chat.h"
#include "appliance/models/providers/openai_reasoning.h"
#include "appliance/models/providers/text_joiner.h"
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
  void delta(const boost::json::object&);
  void content(const boost::json::value&);
  void text(std::string_view);
  void audio(const boost::json::object&);
  void image(std::string url);
  // `holder` has the name and the arguments: the function of a call, or the old function_call.
  void call(const boost::json::object& piece, const boost::json::object& holder);
  // The place of the call that a piece belongs to. Servers number calls from 0 or 1, all with 0, or not at all, so a
  // new id, or a name after complete arguments, begins a new call, too. Not set: there are too many.
  std::optional<std::size_t> place_of(std::optional<std::int64_t> index, const std::string& id,
                                      const std::string& name);
  std::size_t begin_call(std::optional<std::int64_t> index, const std::string& id);

  Listener& listener_;
  ChatAnswer answer_;
  TextJoiner text_;
  ReasoningReader reasoning_;
  std::vector<TextJoiner> arguments_;           // by place
  std::vector<std::string> vendor_ids_;         // by place; empty: none
  std::map<std::int64_t, std::size_t> places_;  // by the server's index: the newest call with it
  std::string finish_;
  std::optional<TokenUsage> usage_;
  std::optional<ReportedError> reported_error_;
  bool complete_ = false;
};

// Passes a whole answer to the listener as if it were streamed.
void replay(const ChatAnswer&, Listener&);

}  // namespace models::openai
