#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace hosting_mcp {

struct Services {};

// /api/hosting-mcp: facts about the hosting provider's tool server, on the backend.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace hosting_mcp
