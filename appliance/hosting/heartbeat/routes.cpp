#include "appliance/hosting/heartbeat/routes.h"

#include "appliance/hosting/heartbeat/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace heartbeat {

namespace {

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
