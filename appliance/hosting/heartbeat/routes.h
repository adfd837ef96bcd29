#pragma once

#include <vector>

#include "appliance/hosting/heartbeat/heartbeat.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace heartbeat {

// What the rows depend on; all of it must outlive them.
struct Services {
  Heartbeats& heartbeats;
};

// /api/heartbeat.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace heartbeat
