#include "appliance/hosting/agent_administration/routes.h"

#include "appliance/hosting/agent_administration/handlers.h"

namespace agent_administration {

namespace {

using agents::AgentLifecycle;

constexpr const char* list_text =
    "Newest first; `next` is the `after` of the following page, or null. `search` is part of the name or the "
    "subdomain, or an id. `total` counts all agents that the query admits.";
constexpr const char* act_text = "Answers when it is done; 409 if another request asked for the opposite meanwhile.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.agents;
  const auto act = [&](const char* name, Operation run, const char* noted, const char* summary) -> web::Route {
    return {web::POST,
            std::string("/api/admin/agents/:id/") + name,
            key,
            nullptr,
            web::plain(on(carry_out, Act{run, noted})).returns<agents::LifecycleAnswer>().describe(act_text),
            summary};
  };
  return {
      {web::GET, "/api/admin/agents", key, nullptr,
       web::query<AgentsQuery>(on(show_agents)).returns<AgentList>().describe(list_text),
       "List the agents of all users"},
      {web::GET, "/api/admin/agents/:id", key, nullptr, web::plain(on(show_agent)).returns<AgentDetail>(),
       "Any user's agent"},
      {web::DELETE, "/api/admin/agents/:id", key, nullptr, web::plain(on(delete_agent)).returns<agents::DeletedAgent>(),
       "Stop any user's agent and remove everything it has"},
      act("start", &AgentLifecycle::start, "agent started by admin", "Start any user's agent"),
      act("stop", &AgentLifecycle::stop, "agent stopped by admin", "Stop any user's agent"),
      act("restart", &AgentLifecycle::restart, "agent restarted by admin", "Restart any user's agent"),
  };
}

}  // namespace agent_administration
