#pragma once

#include <functional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/keys/keys.h"
#include "appliance/network/mcp_server/sessions.h"
#include "appliance/network/mcp_server/tools.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace mcp_server {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Tools& tools;
  Sessions& sessions;
  const keys::Keys& keys;
  const agents::AgentDirectory& agents;
  audit::Audit& audit;
};

// /mcp: the box as an MCP server, on both listeners.
std::vector<web::Route> routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mcp_server
