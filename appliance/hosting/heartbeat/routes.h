#pragma once

#include <vector>

#include "appliance/hosting/heartbeat/heartbeat.h"
#include "appliance/identity/guards.h"

namespace heartbeat {

// /api/heartbeat on the web. The arguments must outlive the rows.
std::vector<web::Route> web_routes(Heartbeats&, const agentbox::Guards&);

}  // namespace heartbeat
