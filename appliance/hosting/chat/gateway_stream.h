// Parses an agent's gateway's answer in the OpenAI format, complete or as server-sent events, while it arrives.
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

// Error messages start with "The agent did not answer: ".
class GatewayStream {
 public:
  // `piece` gets each piece of the answer's text as it arrives, or the whole text at once if it is not streamed.
  explicit GatewayStream(std::function<void(std::string_view piece)> piece = {}) : piece_(std::move(piece)) {}

  // For FetchRequest::on_head and sink.
  bool head(int status, const web::FetchHeaders&);
  bool body(std::string_view bytes);

  // The result, once the exchange has ended.
  web::Result<Completion> finish(const web::Result<web::FetchResponse>&);

 private:
  void event(std::string_view data);
  web::Result<Completion> whole();

  std::function<void(std::string_view)> piece_;
  int status_ = 0;
  bool is_events_ = false;
  bool is_done_ = false;
  std::string unread_;  // events: an incomplete line; otherwise the body so far
  Completion completion_;
  std::string failure_;  // error event of the gateway
};

}  // namespace chat
