// The agents' rows of both listeners. The service and the guards must outlive them.
#pragma once

#include <vector>

#include "appliance/agents/agents.h"
#include "appliance/guards.h"

namespace agents {

std::vector<web::Route> web_routes(Agents&, const agentbox::Guards&);
std::vector<web::Route> backend_routes(Agents&, const agentbox::Guards&);

}  // namespace agents
