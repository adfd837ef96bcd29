#include "appliance/hosting/chat/gateway_stream.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/models/providers/openai_wire.h"
#include "web/json.h"
#include "web/utf8.h"

namespace chat {
namespace {

using web::Error;
using web::Result;

// `cause` may be text of a model server that does not end like a sentence.
Error gateway_failure(std::string cause, web::Kind kind = web::Kind::bad_gateway) {
  if (!cause.ends_with('.') && !cause.ends_with('!') && !cause.ends_with('?')) cause += '.';
  return {.kind = kind, .message = "The agent did not answer: " + std::move(cause)};
}

// An error reported by a gateway.
struct ReportedError {
  std::string message, code;  // empty if missing
  boost::json::object limit;  // see models::openai::limit_members
};

// The codes for an exhausted budget of the agent's owner, which the gateway passes on.
std::optional<web::Kind> kind_of_refusal(std::string_view code) {
  if (code == "PLAN_REQUIRED" || code == "SUBSCRIPTION_REQUIRED") return web::Kind::payment_required;
  if (code == "QUOTA_EXCEEDED" || code == "BUDGET_EXCEEDED" || code == "CAP_REACHED") return web::Kind::too_many;
  return std::nullopt;
}

constexpr std::size_t max_code_bytes = 40;

// The count at a path of a chunk; 0 if it is none.
std::int64_t count_at(const boost::json::value& chunk, std::string_view path) {
  boost::system::error_code absent;
  const auto* count = chunk.find_pointer(path, absent);
  return count && count->is_int64() ? std::max<std::int64_t>(count->get_int64(), 0) : 0;
}

// A step in a chunk, whose fields an agent may have made up; nothing if there is none.
std::optional<Step> step_of(const boost::json::value& chunk) {
  constexpr std::size_t max_name_bytes = 200, max_text_bytes = 4 * 1024, max_output_bytes = 64 * 1024;
  const auto kind = web::string_at(chunk, "/agentbox/step");
  if (kind != "tool_call" && kind != "tool_output" && kind != "tool_result") return std::nullopt;
  Step step{.is_result = kind == "tool_result", .is_output = kind == "tool_output"};
  step.id = web::utf8_prefix(web::string_at(chunk, "/agentbox/id"), max_name_bytes);
  step.name = web::utf8_prefix(web::string_at(chunk, "/agentbox/name"), max_name_bytes);
  step.text = web::utf8_prefix(web::string_at(chunk, step.is_result ? "/agentbox/result" : "/agentbox/arguments"),
                               max_text_bytes);
  if (step.is_output) step.text = web::utf8_prefix(web::string_at(chunk, "/agentbox/output"), max_output_bytes);
  boost::system::error_code absent;
  if (const auto* failed = chunk.find_pointer("/agentbox/failed", absent); failed && failed->is_bool())
    step.failed = failed->get_bool();
  step.duration_ms = count_at(chunk, "/agentbox/durationMs");
  return step;
}

std::optional<QueuePlace> place_of(const boost::json::value& chunk) {
  if (web::string_at(chunk, "/agentbox/step") != "queued") return std::nullopt;
  return QueuePlace{.number = count_at(chunk, "/agentbox/place"),
                    .expected_seconds = count_at(chunk, "/agentbox/expectedSeconds")};
}

Error reported_failure(ReportedError reported, web::Kind kind = web::Kind::bad_gateway) {
  const auto refusal = kind_of_refusal(reported.code);
  // Both are timeouts: one reported by the gateway as an event of its stream, and one by its status.
  if (reported.code == "timeout") kind = web::Kind::timeout;
  auto error = gateway_failure(std::move(reported.message), refusal.value_or(kind));
  if (refusal) {
    error.code = std::move(reported.code);
    error.extra = std::move(reported.limit);
  }
  return error;
}

// A timeout reported by the gateway is treated like one noticed here.
web::Kind kind_of(int status) { return status == 504 ? web::Kind::timeout : web::Kind::bad_gateway; }

// Of {error: {message, code, retryAfter?, ...}} or {error, code, ...}.
ReportedError error_of(const boost::json::value& body) {
  const auto* whole = body.if_object();
  const auto* error = whole ? whole->if_contains("error") : nullptr;
  if (!error) return {};
  if (const auto* plain = error->if_string())
    return {.message = std::string(*plain),
            .code = web::string_at(body, "/code"),
            .limit = models::openai::limit_members(*whole)};
  const auto* details = error->if_object();
  if (!details) return {};
  return {.message = web::string_at(*error, "/message"),
          .code = web::string_at(*error, "/code"),
          .limit = models::openai::limit_members(*details)};
}

ReportedError cause_of(std::string_view body, int status) {
  boost::system::error_code failed;
  const auto parsed = boost::json::parse(body, failed);
  auto reported = failed ? ReportedError() : error_of(parsed);
  if (reported.message.empty()) reported.message = "its gateway answered with status " + std::to_string(status) + ".";
  return reported;
}

// The members besides the choices, of a complete answer and of each event.
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
  if (failure_.empty() && !error_of(parsed).message.empty()) failure_ = data;
  take_particulars(parsed, completion_);
  if (web::string_at(parsed, "/agentbox/step") == "guard")
    completion_.guard = web::utf8_prefix(web::string_at(parsed, "/agentbox/code"), max_code_bytes);
  if (auto step = listener_ ? step_of(parsed) : std::nullopt) listener_(std::move(*step));
  if (const auto place = listener_ ? place_of(parsed) : std::nullopt) listener_(*place);
  const auto* content = parsed.find_pointer("/choices/0/delta/content", failed);
  if (!content || !content->is_string() || content->get_string().empty()) return;
  completion_.content += content->get_string();
  if (listener_) listener_(std::string(content->get_string()));
}

Result<Completion> GatewayStream::finish(const Result<web::FetchResponse>& answer) {
  if (!answer) {
    const bool late = answer.error().kind == web::Kind::timeout;
    return gateway_failure(answer.error().message, late ? web::Kind::timeout : web::Kind::bad_gateway);
  }
  if (status_ != 200) return reported_failure(cause_of(unread_, status_), kind_of(status_));
  if (!is_events_) return whole();
  if (!failure_.empty()) return reported_failure(cause_of(failure_, status_));
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
  if (listener_) listener_(completion_.content);
  return std::move(completion_);
}

Result<Completion> GatewayStream::stop() {
  if (completion_.content.empty()) return web::conflict("The answer was stopped before it began.");
  completion_.is_stopped = true;
  return std::move(completion_);
}

}  // namespace chat
