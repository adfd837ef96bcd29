#pragma once

#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/logs/hub.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace logs {

// All of them must outlive the rows.
struct Services {
  Hub& hub;
  runtime::Engine& engine;
  const agents::AgentDirectory& agents;
};

// /api/logs: on the web for the caller's agents, on the backend for all.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace logs
