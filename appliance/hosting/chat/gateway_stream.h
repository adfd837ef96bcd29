// The answer of an agent's gateway in the OpenAI form, whole or as server-sent events, read while it comes.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "web/fetch.h"
#include "web/result.h"

namespace chat {

struct Completion {
  std::string content, model;
  boost::json::object usage;  // as the gateway reports it; empty when it does not
};

// What is wrong with an answer becomes a sentence after "The agent did not answer: ".
class GatewayStream {
 public:
  // `piece` gets each piece of the answer's text as it comes; of an answer that comes whole, the text in one.
  explicit GatewayStream(std::function<void(std::string_view piece)> piece = {}) : piece_(std::move(piece)) {}

  // For FetchRequest::on_head and sink.
  bool head(int status, const web::FetchHeaders&);
  bool body(std::string_view bytes);

  // What it came to, once the exchange has ended so.
  web::Result<Completion> finish(const web::Result<web::FetchResponse>&);

 private:
  void event(std::string_view data);
  web::Result<Completion> whole();

  std::function<void(std::string_view)> piece_;
  int status_ = 0;
  bool is_events_ = false;
  bool is_done_ = false;
  std::string unread_;  // events: a line that has not ended; else the body so far
  Completion completion_;
  std::string failure_;  // that the gateway told in an event
};

}  // namespace chat
