#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/models/demo/demo.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace models::demo {

// What the rows depend on; all of it must outlive them.
struct Services {
  Demo& demo;
};

// /api/demo/chat.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::demo
