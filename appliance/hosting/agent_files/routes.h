#pragma once

#include <vector>

#include "appliance/hosting/agent_files/agent_files.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace agent_files {

// All of them must outlive the rows.
struct Services {
  AgentFiles& files;
};

// /api/agents/:id/files and everything beneath it, except for uploads.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_files
