#pragma once

#include <vector>

#include "appliance/hosting/heartbeat/heartbeat.h"
#include "appliance/identity/guards.h"

namespace heartbeat {

// What the rows depend on; all of it must outlive them.
struct Services {
  Heartbeats& heartbeats;
  const agentbox::Guards& guards;
};

// /api/heartbeat.
std::vector<web::Route> web_routes(const Services&);

}  // namespace heartbeat
