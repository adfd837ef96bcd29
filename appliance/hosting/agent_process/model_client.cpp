#include "appliance/hosting/agent_process/model_client.h"

#include <boost/json.hpp>

#include "appliance/models/builtin/extract.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/fetch.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t most_answer_bytes = 8u << 20, most_quoted_bytes = 400;

web::Kind kind_of(int status) {
  switch (status) {
    case 400:
      return web::Kind::invalid;
    case 402:
      return web::Kind::payment_required;
    case 413:
      return web::Kind::too_large;
    case 429:
      return web::Kind::too_many;
    case 503:
      return web::Kind::unavailable;
    case 504:
      return web::Kind::timeout;
    default:
      return web::Kind::bad_gateway;
  }
}

// {error: {message, code, retryAfter?, ...}} of the model endpoint, {error: "..."} of other endpoints of the box, or
// neither.
web::Error error_of(int status, std::string_view body) {
  web::Error error{.kind = kind_of(status),
                   .message = "The model did not answer (status " + std::to_string(status) + ")."};
  boost::system::error_code failed;
  const auto value = json::parse(body, failed);
  const auto* object = failed ? nullptr : value.if_object();
  const auto* inner = object ? object->if_contains("error") : nullptr;
  if (!inner) return error;
  if (const auto* details = inner->if_object()) {
    if (const auto* code = details->if_contains("code"); code && code->is_string()) error.code = code->get_string();
    error.extra = models::openai::limit_members(*details);
    inner = details->if_contains("message");
  }
  if (inner && inner->is_string() && !inner->get_string().empty()) {
    error.message = models::cut(inner->get_string(), most_quoted_bytes);
  }
  return error;
}

}  // namespace

ModelClient::ModelClient(std::string backend_url, std::string box_token, std::string model)
    : url_(std::move(backend_url) + "/v1/chat/completions"), token_(std::move(box_token)), model_(std::move(model)) {}

web::Task<web::Result<models::ChatAnswer>> ModelClient::ask(models::ChatRequest request, std::chrono::milliseconds time,
                                                            spans::TraceContext trace) const {
  request.model = model_;
  web::FetchRequest call{.url = url_, .method = "POST"};
  call.headers.emplace_back("Content-Type", "application/json");
  call.headers.emplace_back("Authorization", "Bearer " + token_);
  if (!trace.is_empty()) call.headers.emplace_back(spans::traceparent, trace.header());
  call.body = json::serialize(models::openai::to_wire(request));
  call.timeout = time;
  call.max_bytes = most_answer_bytes;
  const auto response = co_await web::fetch(std::move(call));
  if (!response) {
    auto error = response.error();
    error.message = error.kind == web::Kind::timeout ? "The model did not answer in time."
                                                     : "The box's model endpoint cannot be reached: " + error.message;
    co_return error;
  }
  if (response->status != 200) co_return error_of(response->status, response->body);
  auto answer = models::openai::parse_answer(response->body, request);
  if (!answer) {
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The model " + answer.error().message + "."};
  }
  co_return std::move(*answer);
}

}  // namespace agent_process
