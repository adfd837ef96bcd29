#include "appliance/chat/gateway_stream.h"

#include <boost/json.hpp>

namespace chat {
namespace {

using web::Error;
using web::Result;

// `cause` may be a model server's own words, which need not end like a sentence.
Error gateway_failure(std::string cause, web::Kind kind = web::Kind::bad_gateway) {
  if (!cause.ends_with('.') && !cause.ends_with('!') && !cause.ends_with('?')) cause += '.';
  return {.kind = kind, .message = "The agent did not answer: " + std::move(cause)};
}

// Late is late, whether the agent's gateway noticed it or we did.
web::Kind kind_of(int status) { return status == 504 ? web::Kind::timeout : web::Kind::bad_gateway; }

// The sentence of {error: {message}} or {error}; empty when there is none.
std::string error_of(const boost::json::value& body) {
  const auto* object = body.if_object();
  const auto* error = object ? object->if_contains("error") : nullptr;
  if (error && error->is_object()) error = error->get_object().if_contains("message");
  return error && error->is_string() ? std::string(error->get_string()) : std::string();
}

std::string cause_of(std::string_view body, int status) {
  boost::system::error_code failed;
  const auto parsed = boost::json::parse(body, failed);
  auto told = failed ? std::string() : error_of(parsed);
  return told.empty() ? "its gateway answered with status " + std::to_string(status) + "." : told;
}

// What stands beside the choices, in a whole answer and in each event.
void take_particulars(const boost::json::value& body, Completion& completion) {
  const auto* object = body.if_object();
  if (!object) return;
  if (const auto* model = object->if_contains("model"); model && model->is_string())
    completion.model = model->get_string();
  if (const auto* usage = object->if_contains("usage"); usage && usage->is_object())
    completion.usage = usage->get_object();
}

}  // namespace

bool GatewayStream::head(int status, const web::FetchHeaders& headers) {
  status_ = status;
  for (const auto& [name, value] : headers)
    if (name == "content-type") is_events_ = status == 200 && value.starts_with("text/event-stream");
  return true;
}

bool GatewayStream::body(std::string_view bytes) {
  unread_.append(bytes);
  if (!is_events_) return true;
  std::size_t read = 0;
  for (std::size_t end = 0; (end = unread_.find('\n', read)) != std::string::npos; read = end + 1) {
    auto line = std::string_view(unread_).substr(read, end - read);
    if (line.ends_with('\r')) line.remove_suffix(1);
    constexpr std::string_view field = "data:";
    if (!line.starts_with(field)) continue;
    line.remove_prefix(field.size());
    if (line.starts_with(' ')) line.remove_prefix(1);
    event(line);
  }
  unread_.erase(0, read);
  return true;
}

void GatewayStream::event(std::string_view data) {
  if (data == "[DONE]") {
    is_done_ = true;
    return;
  }
  boost::system::error_code failed;
  const auto parsed = boost::json::parse(data, failed);
  if (failed) return;
  if (failure_.empty()) failure_ = error_of(parsed);
  take_particulars(parsed, completion_);
  const auto* content = parsed.find_pointer("/choices/0/delta/content", failed);
  if (!content || !content->is_string() || content->get_string().empty()) return;
  completion_.content += content->get_string();
  if (piece_) piece_(content->get_string());
}

Result<Completion> GatewayStream::finish(const Result<web::FetchResponse>& answer) {
  if (!answer) {
    const bool late = answer.error().kind == web::Kind::timeout;
    return gateway_failure(answer.error().message, late ? web::Kind::timeout : web::Kind::bad_gateway);
  }
  if (status_ != 200) return gateway_failure(cause_of(unread_, status_), kind_of(status_));
  if (!is_events_) return whole();
  if (!failure_.empty()) return gateway_failure(failure_);
  if (!is_done_) return gateway_failure("its answer broke off.");
  return std::move(completion_);
}

Result<Completion> GatewayStream::whole() {
  boost::system::error_code failed;
  const auto body = boost::json::parse(unread_, failed);
  if (failed) return gateway_failure("its answer is not JSON.");
  const auto* content = body.find_pointer("/choices/0/message/content", failed);
  if (!content || !content->is_string()) return gateway_failure("its answer holds no message.");
  completion_.content = content->get_string();
  take_particulars(body, completion_);
  if (piece_) piece_(completion_.content);
  return std::move(completion_);
}

}  // namespace chat
