#include "appliance/box/live_events/handlers.h"

#include "web/protocol/event_text.h"

namespace live_events {

namespace {

// Events that are available together are sent together.
web::Task<> send(std::shared_ptr<Reader> reader, web::StreamWriter& writer) {
  for (bool has_ended = false; !has_ended;) {
    const auto events = co_await reader->next();
    std::string text;
    for (const auto& event : events) web::append_event(text, event.data, event.name, event.id);
    has_ended = events.back().name == "end";
    co_await writer.write(std::move(text));
  }
}

}  // namespace

web::Answer follow(const Services& services, const web::Request& request, FollowQuery query) {
  std::string after(request.header("Last-Event-ID"));
  if (after.empty() && query.lastEventId) after = *query.lastEventId;
  const auto reader = co_await services.hub.open(request.caller.user_id, std::move(after));
  if (!reader) co_return reader.error();
  auto response =
      web::server_sent_events([reader = *reader](web::StreamWriter& writer) { return send(reader, writer); });
  response.endless = true;
  co_return response;
}

}  // namespace live_events
