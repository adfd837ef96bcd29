// POST /v1/chat/completions.
#include <array>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/call_handle.h"
#include "appliance/models/openai_api/handlers.h"
#include "appliance/models/providers/openai_chunks.h"
#include "web/event_text.h"
#include "web/reply.h"

namespace models::openai_api {

namespace json = boost::json;

namespace {

web::Result<ChatRequest> parse_chat(const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  return openai::parse_request(json::value(std::move(*body)));
}

// OpenAI answers 404 for an unknown model, which its clients have an exception for.
web::Error as_openai_has_it(web::Error error) {
  if (error.code == "model_not_found") error.kind = web::Kind::not_found;
  return error;
}

web::Task<> send_chunks(CallHandle& handle, bool include_usage, web::StreamWriter& writer) {
  const openai::Chunks chunks("chatcmpl-" + crypto::random_id(24), handle.serving());
  const auto opening = chunks.opening();
  co_await writer.event(opening);
  for (;;) {
    const auto pieces = co_await handle.next();
    if (pieces.empty()) break;
    std::string events;
    for (const auto& piece : pieces) web::append_event(events, chunks.piece(piece));
    co_await writer.write(std::move(events));
  }
  const auto answer = co_await handle.answer();
  if (!answer) {
    const auto error = json::serialize(openai::error_body(answer.error()));
    co_await writer.event(error);
    co_return;
  }
  const auto end = chunks.end(answer->finish);
  co_await writer.event(end);
  if (include_usage) {
    const auto usage = chunks.usage(answer->usage);
    co_await writer.event(usage);
  }
  co_await writer.event("[DONE]");
}

web::Response reply_streamed(CallHandle handle, bool include_usage) {
  const auto shared = std::make_shared<CallHandle>(std::move(handle));
  auto response = web::server_sent_events([shared, include_usage](web::StreamWriter& writer) -> web::Task<> {
    return send_chunks(*shared, include_usage, writer);
  });
  response.set("X-Accel-Buffering", "no");
  return response;
}

web::Response reply_whole(const ChatAnswer& answer) {
  std::array<unsigned char, 4096> room;  // the tree is written once and freed as a whole
  json::monotonic_resource memory(room.data(), room.size());
  return web::json(openai::to_wire(answer, &memory));
}

}  // namespace

web::Answer complete_chat(const Services& services, const web::Request& request) {
  auto parsed = parse_chat(request);
  if (!parsed) co_return parsed.error();
  auto payer = services.gateway.policy().payer_of(request.caller);
  if (!payer) co_return payer.error();
  const bool stream = parsed->stream, include_usage = parsed->include_usage;
  ModelCall call{.request = std::move(*parsed),
                 .query = {},
                 .payer = std::move(*payer),
                 .trace = spans::TraceContext::parse(request.header(spans::traceparent))};
  const auto& agent = request.caller.agent;
  call.query = {
      .model = call.request.model, .task = {}, .provider = agent.empty() ? std::string() : services.provider_of(agent)};
  auto handle = co_await CallHandle::start(services.gateway, std::move(call), stream);
  if (stream) {
    const bool begun = co_await handle.begins();
    // A failure before the first piece gets an error status.
    if (begun) co_return reply_streamed(std::move(handle), include_usage);
  }
  const auto answer = co_await handle.answer();
  if (!answer) co_return as_openai_has_it(answer.error());
  if (stream) co_return reply_streamed(std::move(handle), include_usage);
  co_return reply_whole(*answer);
}

}  // namespace models::openai_api
