#pragma once

#include <vector>

#include "appliance/hosting/mcp_servers/mcp_servers.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace mcp_servers {

// Must outlive the rows.
struct Services {
  McpServers& servers;
};

// /api/agents/:id/mcp-servers, for the owner.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-mcp, for the agent itself.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mcp_servers
