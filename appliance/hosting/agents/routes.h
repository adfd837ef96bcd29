#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace agents {

// What the rows depend on; all of it must outlive them.
struct Services {
  Agents& agents;
  const agentbox::Guards& guards;
};

// The caller's own agents: /api/agents and /api/instance.
std::vector<web::Route> web_routes(const Services&);
// Agents of all owners: /api/agents and /api/runtime.
std::vector<web::Route> backend_routes(const Services&);

}  // namespace agents
