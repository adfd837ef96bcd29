#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/models/demo/demo.h"
#include "web/route.h"

namespace models::demo {

// What the rows depend on; all of it must outlive them.
struct Services {
  Demo& demo;
  const agentbox::Guards& guards;
};

// /api/demo/chat.
std::vector<web::Route> web_routes(const Services&);

}  // namespace models::demo
