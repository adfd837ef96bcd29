#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/agents.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace agents {

// What the rows depend on; all of it must outlive them.
struct Services {
  Agents& agents;
  // The agents that the caller's key is limited to; nothing for other callers.
  std::function<std::optional<std::vector<std::string>>(const web::Caller&)> limit_of = {};
};

// The caller's own agents: /api/agents and /api/instance.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Agents of all owners: /api/agents and /api/runtime.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agents
