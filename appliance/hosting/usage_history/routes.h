#pragma once

#include <vector>

#include "appliance/hosting/usage_history/usage_history.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace usage_history {

// What the rows depend on; all of it must outlive them.
struct Services {
  const UsageHistory& history;
  const agents::AgentDirectory& agents;
};

// GET /api/agents/:id/stats/history.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace usage_history
