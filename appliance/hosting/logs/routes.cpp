
#include "appliance/access/key_guards.h"
#include "appliance/hosting/logs/handlers.h"

namespace logs {

namespace {

const web::RateLimit logs_rate{.group = "logs", .limit = 100};

constexpr auto following =
    "Server-sent events: `ready` {id} first; `log` {id, at, text} for each line, beginning with the newest `tail` "
    "(50), "
    "then each new one; `end` {reason} when the box ends the stream. With the header Last-Event-ID (or `lastEventId`) "
    "all lines after that one come first, in order; if some of them are no longer stored, `skipped` {after, reason} "
    "comes before the rest. Readers that are too slow are disconnected. `at` is null for lines without a time.";

constexpr auto history =
    "The newest `limit` (100) lines, oldest first; `since` and `until` (ISO 8601) limit the time. With `after` the "
    "first `limit` lines after the line with that id, for paging without gaps; `skipped` is true if lines after it are "
    "no longer stored. About 16 MB are stored for a process; for a container the engine decides.";

std::vector<web::Route> rows(const web::Guard& guard, const web::RateLimit* rate, const Scope& scope,
                             const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/logs/:agentId/stream", guard, rate,
       web::query<FollowQuery>(on(follow_log, scope)).describe(following), "Follow an agent's log"},
      {web::GET, "/api/logs/:agentId/history", guard, rate,
       web::query<HistoryQuery>(on(show_history, scope)).returns<HistoryAnswer>().describe(history),
       "Read an agent's log"},
      {web::POST, "/api/logs/:agentId/stop", guard, rate, web::plain(on(stop_streams, scope)).returns<StopAnswer>(),
       "End the caller's streams of an agent's log"},
      {web::GET, "/api/logs/active", guard, rate, web::plain(on(list_streams, scope)).returns<StreamList>(),
       "List the caller's open log streams"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return rows(agentbox::session_or_key(guards, key_scopes::Scope::agents_read), &logs_rate, own_agents(), on);
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return rows(guards.backend.agents_logs, nullptr, all_agents(), on);
}

}  // namespace logs
