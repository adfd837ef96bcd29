#include "appliance/hosting/agent_actions/routes.h"

#include "appliance/hosting/agent_actions/handlers.h"
#include "appliance/hosting/rate_groups.h"

namespace agent_actions {

namespace {

constexpr auto about_query =
    "`action` is list, status or messages. Without agentId the caller's only agent is meant. A userId is ignored: all "
    "agents are the caller's own.";

constexpr auto about_actions =
    "`action` is message (with `message`; answers like POST /api/chat), start, stop, restart, repair or reset-memory "
    "(answer like those of /api/instance). Without agentId the caller's only agent is meant. A userId is ignored: all "
    "agents are the caller's own.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/agent", session, &hosting::actions_rate,
       web::query<ActionQuery>(on(query_agent)).describe(about_query), "Query an agent by the name of an action"},
      {web::POST, "/api/agent", session, &hosting::actions_rate,
       web::body<ActionRequest>(on(act_on_agent)).describe(about_actions), "Run an action on an agent by its name"},
  };
}

}  // namespace agent_actions
