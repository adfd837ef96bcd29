#include "appliance/hosting/heartbeat/handlers.h"

#include "appliance/access/key_guards.h"

namespace heartbeat {

namespace {

web::Result<web::Response> reply_with(web::Result<Heartbeat> heartbeat) {
  if (!heartbeat) return heartbeat.error();
  HeartbeatAnswer answer;
  answer.heartbeat = {.agentId = std::move(heartbeat->agent),
                      .frequency = std::move(heartbeat->frequency),
                      .enabled = heartbeat->enabled,
                      .prompt = std::move(heartbeat->prompt),
                      .lastHeartbeat = heartbeat->last,
                      .nextHeartbeat = heartbeat->next,
                      .lastOutcome = heartbeat->last_outcome,
                      .lastError = {},
                      .lastUpdated = heartbeat->updated_at};
  if (!heartbeat->last_error.empty()) answer.heartbeat.lastError = std::move(heartbeat->last_error);
  return web::reply(answer, 200);
}

web::Answer show_heartbeat(const Services& services, const web::Request& request, AgentQuery query) {
  co_return reply_with(services.heartbeats.find(request.caller.user_id, query.agentId));
}

web::Answer set_heartbeat(const Services& services, const web::Request& request, HeartbeatRequest body) {
  Changes changes{.frequency = std::move(body.frequency), .prompt = std::move(body.prompt), .enabled = body.enabled};
  auto heartbeat =
      co_await services.heartbeats.set(request.caller.user_id, std::move(body.agentId), std::move(changes));
  co_return reply_with(std::move(heartbeat));
}

web::Answer remove_heartbeat(const Services& services, const web::Request& request, AgentQuery query) {
  const auto removed = co_await services.heartbeats.remove(request.caller.user_id, std::move(query.agentId));
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

const web::RateLimit heartbeat_rate{.group = "heartbeat", .limit = 100};

constexpr auto about_get =
    "An agent whose heartbeat was never set has none: nextHeartbeat is null, and the other fields have their defaults.";
constexpr auto about_set =
    "Sends `prompt` to the agent every `frequency` ({number}{m|h|d}, a minute to a year; default 3h), as if its owner "
    "had sent it; the first time after one frequency. Only given fields change; an empty prompt restores the default. "
    "The agent's answer is in the conversation; lastOutcome and lastError describe the last heartbeat.";
constexpr auto about_remove = "Ends the agent's heartbeat. agentId comes in the body or, without a body, in the query.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::schedules);
  return {
      {web::GET, "/api/heartbeat", owner, &heartbeat_rate,
       web::query<AgentQuery>(on(show_heartbeat)).returns<HeartbeatAnswer>().describe(about_get),
       "An agent's heartbeat"},
      {web::POST, "/api/heartbeat", owner, &heartbeat_rate,
       web::body<HeartbeatRequest>(on(set_heartbeat)).returns<HeartbeatAnswer>().describe(about_set),
       "Set an agent's heartbeat"},
      {web::DELETE, "/api/heartbeat", owner, &heartbeat_rate,
       web::body_or_query<AgentQuery>(on(remove_heartbeat)).returns<web::Succeeded>().describe(about_remove),
       "Remove an agent's heartbeat"},
  };
}

}  // namespace heartbeat
