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

const web::RateLimit rate{.group = "events", .limit = 100};

constexpr auto events_description =
    "Server-sent events about what is the caller's: `agent` {id, name, model, status, updatedAt}; `health` {id of the "
    "agent, state, crashes, repairs}; `run` {id of the scheduled prompt, agentId, name, run, outcome, nextRun, "
    "updatedAt} when it runs, ends or is changed; `message` {id of the agent, messageId, role, delivery} for the "
    "newest message of a conversation; `cap` {id, scope, target, period, usedPercent, reached, updatedAt} when "
    "another tenth of it is used; `payment` {id of the transfer, wallet, state}; `dead_letter` {id}; "
    "`plan` {id, plan, status}. What is gone is {id, removed: true}. Changes within a fifth of a second may be one "
    "event. `ready` comes first. With the header Last-Event-ID (or `lastEventId`) the events after that one follow; "
    "if they are no longer kept, `reset` {reason} comes first: load everything again. `reset` also comes to readers "
    "that are too slow. The box keeps the newest 500 events, for two minutes after the last reader has left. `end` "
    "{reason} is the last event; the stream also closes within seconds after the session has ended. STREAMS_PER_USER "
    "and STREAMS_TOTAL limit the streams: 429.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {{web::GET, "/api/events", guards.session, &rate,
           web::query<FollowQuery>(on(follow)).describe(events_description), "Follow what changes for the caller"}};
}

}  // namespace live_events
