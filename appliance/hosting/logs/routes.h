#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/logs/hub.h"
#include "appliance/identity/guards.h"

namespace logs {

struct Parts {
  Hub& hub;
  runtime::Engine& engine;
  const agents::Agents& agents;
  const agentbox::Guards& guards;
};

// /api/logs: on the web of one's own agents, on the backend of all. The parts must outlive the rows.
std::vector<web::Route> web_routes(const Parts&);
std::vector<web::Route> backend_routes(const Parts&);

}  // namespace logs
