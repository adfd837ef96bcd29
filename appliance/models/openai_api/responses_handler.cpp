// POST /v1/responses.
#include "appliance/models/openai_api/handlers.h"
#include "appliance/models/openai_api/model_call.h"
#include "appliance/models/providers/responses_wire.h"
#include "web/protocol/event_text.h"
#include "web/routes/reply.h"

namespace models::openai_api {

namespace json = boost::json;

namespace {

struct Streamed {
  CallHandle handle;
  const responses::Echo echo;
  const std::shared_ptr<RecentItems> recent_items;
  const store::UserId user;
};

void append(std::string& text, const responses::Events& events) {
  for (const auto& event : events) web::append_event(text, event.data, event.type);
}

web::Task<> send_events(Streamed& streamed, web::StreamWriter& writer) {
  // The model is known once it has begun.
  auto pieces = co_await next_pieces(streamed.handle, writer);
  responses::Output output(streamed.echo, streamed.handle.serving());
  std::string opening;
  append(opening, output.begin());
  co_await writer.write(std::move(opening));
  for (; !pieces.empty(); pieces = co_await next_pieces(streamed.handle, writer)) {
    std::string events;
    for (const auto& piece : pieces) append(events, output.take(piece));
    co_await writer.write(std::move(events));
  }
  const auto answer = co_await streamed.handle.answer();
  std::string end;
  append(end, answer ? output.finish(*answer) : output.fail(answer.error()));
  if (answer) streamed.recent_items->add(streamed.user, output.output());
  co_await writer.write(std::move(end));
}

web::Response reply_with_events(std::shared_ptr<Streamed> streamed) {
  return unbuffered_events(
      [streamed](web::StreamWriter& writer) -> web::Task<> { return send_events(*streamed, writer); });
}

}  // namespace

web::Answer create_response(const Services& services, const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) co_return body.error();
  auto payer = services.gateway.policy().payer_of(request.caller, request.header(turn_header));
  if (!payer) co_return payer.error();
  const auto user = payer->user;
  const auto find = [&services, user](std::string_view id) { return services.recent_items->find(user, id); };
  auto parsed = responses::parse_request(std::move(*body), find);
  if (!parsed) co_return parsed.error();
  const bool stream = parsed->request.stream;
  auto call = model_call(services, request, std::move(parsed->request));
  if (!call) co_return call.error();
  auto handle = co_await CallHandle::start(services.gateway, std::move(*call), stream);
  if (stream) {
    auto failed = co_await early_failure(handle);
    if (failed) co_return std::move(*failed);
    co_return reply_with_events(
        std::make_shared<Streamed>(Streamed{std::move(handle), std::move(parsed->echo), services.recent_items, user}));
  }
  const auto answer = co_await handle.answer();
  if (!answer) co_return as_openai_has_it(answer.error());
  responses::Output output(parsed->echo, answer->model);
  auto whole = output.whole(*answer);
  services.recent_items->add(user, output.output());
  co_return web::json(std::move(whole));
}

}  // namespace models::openai_api
