#include "appliance/models/messages_api/handlers.h"

#include "appliance/models/messages_api/messages_wire.h"
#include "appliance/models/openai_api/model_call.h"
#include "appliance/models/token_counts.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace models::messages_api {

namespace json = boost::json;

namespace {

constexpr const char* message_text =
    "Anthropic's messages, for every model of the box: system, text, images, documents, tools, tool_choice, thinking, "
    "stop_sequences and output_config. The key is sent as x-api-key or as a bearer token; anthropic-version and "
    "anthropic-beta are accepted and ignored. With stream: true the answer is sent as Anthropic's server-sent events. "
    "The vendor's own tools (web search, bash, ...) and containers are refused by name. Otherwise as "
    "/v1/chat/completions, whose limits apply.";
constexpr const char* count_text =
    "An estimate of the input tokens of a message, made without the model's tokenizer: for most texts 1.0 to 1.6 times "
    "what the model counts. Free of charge.";

web::Task<> send_events(CallHandle& handle, web::StreamWriter& writer) {
  // The model is known once it has begun.
  auto pieces = co_await openai_api::next_pieces(handle, writer);
  messages::Output output(handle.serving());
  auto opening = output.begin();
  co_await writer.write(std::move(opening));
  for (; !pieces.empty(); pieces = co_await openai_api::next_pieces(handle, writer)) {
    std::string events;
    for (const auto& piece : pieces) events += output.take(piece);
    if (!events.empty()) co_await writer.write(std::move(events));
  }
  const auto answer = co_await handle.answer();
  auto end = answer ? output.finish(*answer) : messages::Output::fail(answer.error());
  co_await writer.write(std::move(end));
}

web::Response reply_with_events(CallHandle handle) {
  const auto shared = std::make_shared<CallHandle>(std::move(handle));
  return openai_api::unbuffered_events(
      [shared](web::StreamWriter& writer) -> web::Task<> { return send_events(*shared, writer); });
}

web::Endpoint endpoint(const web::Bind<Services>& on, web::Answer (*handler)(const Services&, const web::Request&),
                       web::Schema body) {
  auto endpoint = web::plain(on(handler));
  endpoint.problem = messages::error_schema;
  endpoint.body = std::move(body);
  return endpoint;
}

}  // namespace

web::Answer create_message(const Services& services, const web::Request& request) {
  const auto body = web::parse_body<json::object>(request);
  if (!body) co_return body.error();
  auto parsed = messages::parse_request(*body);
  if (!parsed) co_return parsed.error();
  const bool stream = parsed->stream;
  auto call = openai_api::model_call(services, request, std::move(*parsed));
  if (!call) co_return call.error();
  auto handle = co_await CallHandle::start(services.gateway, std::move(*call), stream);
  if (stream) {
    auto failed = co_await openai_api::early_failure(handle);
    if (failed) co_return std::move(*failed);
    co_return reply_with_events(std::move(handle));
  }
  const auto answer = co_await handle.answer();
  if (!answer) co_return openai_api::as_openai_has_it(answer.error());
  co_return web::json(messages::to_wire(*answer));
}

web::Answer count_tokens(const Services&, const web::Request& request) {
  const auto body = web::parse_body<json::object>(request);
  if (!body) co_return body.error();
  const auto parsed = messages::parse_request(*body, true);
  if (!parsed) co_return parsed.error();
  co_return web::json(json::object{{"input_tokens", counted_tokens(*parsed)}});
}

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  std::vector<web::Route> rows;
  for (const std::string prefix : {"/v1", "/v1/v1"}) {
    rows.push_back({web::POST, prefix + "/messages", guard, nullptr,
                    endpoint(on, create_message, web::schema_of<MessageBody>).describe(message_text), "Ask a model"});
    rows.push_back({web::POST, prefix + "/messages/count_tokens", guard, nullptr,
                    endpoint(on, count_tokens, web::schema_of<CountBody>).describe(count_text), "Estimate a prompt"});
  }
  return rows;
}

}  // namespace models::messages_api
