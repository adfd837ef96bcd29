#pragma once

#include <vector>

#include "appliance/explorer/explorer.h"
#include "appliance/guards.h"
#include "web/route.h"

namespace explorer {

// /api/browse/* on the backend.
std::vector<web::Route> routes(Explorer&, const agentbox::Guards&);

}  // namespace explorer
