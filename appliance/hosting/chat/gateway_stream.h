// Parses an agent's gateway's answer in the OpenAI format, complete or as server-sent events, while it arrives.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "web/client/fetch.h"
#include "web/result.h"

namespace chat {

// A step of the agent: a tool that it calls, what the tool writes meanwhile, or its result.
struct Step {
  bool is_result = false, is_output = false;
  std::string id, name;
  std::string text;  // the call's arguments or the result: JSON as text, at most 4 KB; output: at most 64 KB
  bool failed = false;
  std::int64_t duration_ms = 0;
};

// The agent waits in the queue before its model.
struct QueuePlace {
  std::int64_t number = 0;  // 1: the next; 0: it does not wait any more
  std::int64_t expected_seconds = 0;
};

// What arrives of an answer before its end: a piece of its text, a step, or that it waits.
using Piece = std::variant<std::string, Step, QueuePlace>;
using Listener = std::function<void(Piece)>;

struct Completion {
  std::string content, model;
  boost::json::object usage;  // as the gateway reports it; empty when it does not
  bool is_stopped = false;    // the rest was not waited for
  std::string stop_reason;    // a sentence; empty: its owner has stopped it
  std::string guard;          // see Message::guard
};

// Error messages start with "The agent did not answer: ".
class GatewayStream {
 public:
  // The listener gets each piece of the answer as it arrives, or the whole text at once if it is not streamed.
  explicit GatewayStream(Listener listener = {}) : listener_(std::move(listener)) {}

  // For FetchRequest::on_head and sink.
  bool head(int status, const web::FetchHeaders&);
  bool body(std::string_view bytes);

  // The result, once the exchange has ended.
  web::Result<Completion> finish(const web::Result<web::FetchResponse>&);
  // What has arrived, when the exchange was stopped. conflict: nothing.
  web::Result<Completion> stop();

 private:
  void event(std::string_view data);
  web::Result<Completion> whole();

  Listener listener_;
  int status_ = 0;
  bool is_events_ = false;
  bool is_done_ = false;
  std::string unread_;  // events: an incomplete line; otherwise the body so far
  Completion completion_;
  std::string failure_;  // error event of the gateway
};

}  // namespace chat
