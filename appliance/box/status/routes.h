#pragma once

#include <vector>

#include "appliance/box/status/status.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace status {

struct Services {
  bool is_public = false;  // STATUS_PAGE
  Checks checks;
};

// /status and GET /api/status.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace status
