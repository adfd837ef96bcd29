// The agents' rows of both listeners. The service and the guards must outlive them.
#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/guards.h"

namespace agents {

std::vector<web::Route> web_routes(Agents&, const agentbox::Guards&);
std::vector<web::Route> backend_routes(Agents&, const agentbox::Guards&);

// Start, stop, restart, repair, update, reset-memory: on the web of one's own, on the backend of anybody's.
std::vector<web::Route> web_lifecycle_routes(Agents&, const agentbox::Guards&);
std::vector<web::Route> backend_lifecycle_routes(Agents&, const agentbox::Guards&);

// What there is to know and to set of one agent: config, token, stats, verification.
std::vector<web::Route> web_detail_routes(Agents&, const agentbox::Guards&);
std::vector<web::Route> backend_detail_routes(Agents&, const agentbox::Guards&);

}  // namespace agents
