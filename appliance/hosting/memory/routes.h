#pragma once

#include <vector>

#include "appliance/hosting/memory/memory.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace memory {

// All of them must outlive the rows.
struct Services {
  Memories& memories;
  const agentbox::Guards& guards;
};

// /api/memory.
std::vector<web::Route> web_routes(const Services&);

}  // namespace memory
