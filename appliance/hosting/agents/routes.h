#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/guards.h"
#include "web/bind.h"
#include "web/route.h"

namespace agents {

// What the rows depend on; all of it must outlive them.
struct Services {
  Agents& agents;
};

// The caller's own agents: /api/agents and /api/instance.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Agents of all owners: /api/agents and /api/runtime.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agents
