#pragma once

#include <vector>

#include "appliance/box/live_events/hub.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace live_events {

struct Services {
  Hub& hub;
};

// GET /api/events.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace live_events
