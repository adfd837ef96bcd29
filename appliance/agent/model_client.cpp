#include "appliance/agent/model_client.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/models/providers/openai_stream.h"
#include "appliance/models/providers/openai_wire.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/sse.h"
#include "web/client/fetch.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_model_answer_bytes = 8u << 20, max_quoted_bytes = 400;

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
    if (error.code == models::to_string(models::Fault::timeout)) error.kind = web::Kind::timeout;
    error.extra = models::openai::limit_members(*details);
    inner = details->if_contains("message");
  }
  if (inner && inner->is_string() && !inner->get_string().empty()) {
    error.message = web::utf8_prefix(inner->get_string(), max_quoted_bytes);
  }
  return error;
}

web::Error broken(std::string_view what) {
  return {.kind = web::Kind::bad_gateway, .message = "The model " + std::string(what) + "."};
}

// An answer as it arrives: the events of a stream, or a body that is not one, such as an error's.
class AnswerReader final : models::Listener {
 public:
  AnswerReader(ModelClient::OnText on_text, ModelClient::OnPlace on_place)
      : on_text_(std::move(on_text)), on_place_(std::move(on_place)), stream_(*this) {}

  bool head(int status, const web::FetchHeaders& headers) {
    status_ = status;
    for (const auto& [name, value] : headers)
      if (name == "content-type") is_events_ = status == 200 && value.starts_with("text/event-stream");
    return true;
  }
  bool body(std::string_view bytes) {
    if (is_events_) return events_.feed(bytes);
    whole_ += bytes;
    return true;
  }
  bool is_complete() const { return is_events_ && stream_.is_complete(); }

  web::Result<models::ChatAnswer> take(const models::ChatRequest& request) {
    if (status_ != 200) return error_of(status_, whole_);
    if (is_events_) {
      if (const auto& reported = reported_error_) return *reported;
      if (!stream_.is_complete()) return broken("ended its answer in the middle");
      return stream_.take(request);
    }
    auto answer = models::openai::parse_answer(whole_, request);
    if (!answer) return broken(answer.error().message);
    if (on_text_ && !answer->message.content.empty()) on_text_(answer->message.content, answer->model);
    return answer;
  }

 private:
  void text(std::string_view piece) override {
    if (on_text_) on_text_(piece, stream_.model());
  }
  void call(std::size_t, std::string_view, std::string_view, std::string_view) override {}
  void comment(std::string_view text) {
    const auto place = models::parse_place(text);
    if (!place) return leave_queue();
    is_queued_ = true;
    if (on_place_) on_place_(*place);
  }
  void leave_queue() {
    if (std::exchange(is_queued_, false) && on_place_) on_place_({});
  }
  bool event(std::string_view data) {
    leave_queue();
    const bool goes_on = stream_.event(data);
    if (stream_.reported_error()) reported_error_ = error_of(502, data);
    return goes_on;
  }

  const ModelClient::OnText on_text_;
  const ModelClient::OnPlace on_place_;
  models::openai::AnswerStream stream_;
  models::EventReader events_{[this](std::string_view, std::string_view data) { return event(data); },
                              [this](std::string_view text) { comment(text); }};
  int status_ = 0;
  bool is_queued_ = false;  // as the last comment said
  bool is_events_ = false;
  std::string whole_;
  std::optional<web::Error> reported_error_;
};

}  // namespace

ModelClient::ModelClient(std::string backend_url, std::string box_token, std::string model)
    : backend_url_(std::move(backend_url)), token_(std::move(box_token)), model_(std::move(model)) {}

web::Task<web::Result<models::ChatAnswer>> ModelClient::ask(models::ChatRequest request, std::chrono::milliseconds time,
                                                            OnText on_text, OnPlace on_place,
                                                            spans::TraceContext trace) const {
  if (request.model.empty()) request.model = model_;
  auto wire = models::openai::to_wire(request);
  wire["stream"] = true;
  wire["stream_options"] = json::object{{"include_usage", true}};
  web::FetchRequest call{.url = backend_url_ + "/v1/chat/completions", .method = "POST"};
  call.headers.emplace_back("Content-Type", "application/json");
  call.headers.emplace_back("Authorization", "Bearer " + token_);
  if (!trace.is_empty()) call.headers.emplace_back(spans::traceparent, trace.header());
  call.headers.emplace_back(models::wait_class_header, models::to_string(wait_class_));
  if (!message_.empty()) call.headers.emplace_back(models::turn_header, message_);
  call.body = json::serialize(wire);
  call.timeout = time;
  call.max_bytes = max_model_answer_bytes;
  AnswerReader answer(std::move(on_text), std::move(on_place));
  call.on_head = [&answer](int status, const web::FetchHeaders& headers) { return answer.head(status, headers); };
  call.sink = [&answer](std::string_view bytes) { return answer.body(bytes); };
  const auto response = co_await web::fetch(std::move(call));
  if (!response && !answer.is_complete()) {
    auto error = response.error();
    error.message = error.kind == web::Kind::timeout ? "The model did not answer in time."
                                                     : "The box's model endpoint cannot be reached: " + error.message;
    co_return error;
  }
  co_return answer.take(request);
}

web::Task<ModelFacts> ModelClient::facts(std::string model) const {
  web::FetchRequest call{.url = backend_url_ + "/v1/models/" + model};
  call.headers.emplace_back("Authorization", "Bearer " + token_);
  call.timeout = std::chrono::seconds(5);
  const auto response = co_await web::fetch(std::move(call));
  ModelFacts facts;
  if (!response || response->status != 200) co_return facts;
  boost::system::error_code failed;
  const auto value = json::parse(response->body, failed);
  const auto* object = failed ? nullptr : value.if_object();
  const auto* context = object ? object->if_contains("context_length") : nullptr;
  if (context && context->is_int64() && context->get_int64() > 0) facts.context_tokens = context->get_int64();
  const auto* modalities = failed ? nullptr : value.find_pointer("/architecture/input_modalities", failed);
  if (modalities && modalities->is_array()) {
    const auto& takes = modalities->get_array();
    facts.sees_pictures = std::ranges::find(takes, json::value("image")) != takes.end();
  }
  co_return facts;
}

}  // namespace agent_process
