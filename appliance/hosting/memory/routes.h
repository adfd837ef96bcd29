#pragma once

#include <vector>

#include "appliance/hosting/memory/memory.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace memory {

// All of them must outlive the rows.
struct Services {
  Memories& memories;
};

// /api/memory.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace memory
