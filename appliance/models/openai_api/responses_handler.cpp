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
  responses::Output output;
};

void append(std::string& text, const responses::Events& events) {
  for (const auto& event : events) web::append_event(text, event.data, event.type);
}

web::Task<> send_events(Streamed& streamed, web::StreamWriter& writer) {
  std::string opening;
  append(opening, streamed.output.begin());
  co_await writer.write(std::move(opening));
  for (;;) {
    const auto pieces = co_await streamed.handle.next();
    if (pieces.empty()) break;
    std::string events;
    for (const auto& piece : pieces) append(events, streamed.output.take(piece));
    co_await writer.write(std::move(events));
  }
  const auto answer = co_await streamed.handle.answer();
  std::string end;
  append(end, answer ? streamed.output.finish(*answer) : streamed.output.fail(answer.error()));
  co_await writer.write(std::move(end));
}

web::Response reply_streamed(CallHandle handle, const responses::Echo& echo) {
  responses::Output output(echo, handle.serving());
  const auto shared = std::make_shared<Streamed>(Streamed{std::move(handle), std::move(output)});
  auto response = web::server_sent_events(
      [shared](web::StreamWriter& writer) -> web::Task<> { return send_events(*shared, writer); });
  response.set("X-Accel-Buffering", "no");
  return response;
}

}  // namespace

web::Answer create_response(const Services& services, const web::Request& request) {
  auto body = web::parse_body<json::object>(request);
  if (!body) co_return body.error();
  auto parsed = responses::parse_request(std::move(*body));
  if (!parsed) co_return parsed.error();
  const bool stream = parsed->request.stream;
  auto call = model_call(services, request, std::move(parsed->request));
  if (!call) co_return call.error();
  auto handle = co_await CallHandle::start(services.gateway, std::move(*call), stream);
  if (stream) {
    const bool begun = co_await handle.begins();
    // A failure before the first piece gets an error status.
    if (begun) co_return reply_streamed(std::move(handle), parsed->echo);
  }
  const auto answer = co_await handle.answer();
  if (!answer) co_return as_openai_has_it(answer.error());
  if (stream) co_return reply_streamed(std::move(handle), parsed->echo);
  responses::Output output(parsed->echo, answer->model);
  co_return web::json(output.whole(*answer));
}

}  // namespace models::openai_api
