#include "appliance/hosting/agents/target.h"

namespace agents {
namespace {

web::Result<void> check_same(const AgentQuery& query, const std::string& id) {
  if (!query.agentId || *query.agentId == id) return {};
  return web::invalid("agentId names another agent than the path, or than the other agentId");
}

}  // namespace

Target own_agent(std::string parameter) {
  return [parameter = std::move(parameter)](const AgentDirectory& directory, const web::Request& request,
                                            const AgentQuery& body) -> web::Result<Agent> {
    const auto user = request.caller.user_id;
    auto id = request.param(parameter);
    const auto query = web::parse_query<AgentQuery>(request);
    if (!query) return query.error();
    for (const auto* given : {&*query, &body}) {
      if (id == std::to_string(user) && given->agentId) id = *given->agentId;
      if (const auto same = check_same(*given, id); !same) return same.error();
    }
    return directory.resolve(user, id);
  };
}

Target any_agent() {
  return
      [](const AgentDirectory& directory, const web::Request& request, const AgentQuery& body) -> web::Result<Agent> {
        const auto query = web::parse_query<AgentQuery>(request);
        if (!query) return query.error();
        const auto& id = request.param("id");
        for (const auto* given : {&*query, &body})
          if (const auto same = check_same(*given, id); !same) return same.error();
        auto agent = directory.find(id);
        if (!agent) return web::not_found();
        return std::move(*agent);
      };
}

}  // namespace agents
