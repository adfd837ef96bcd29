#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/network/events/events.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace events {

// What the rows depend on; it must outlive them.
struct Services {
  Events& events;
};

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace events
