#pragma once

#include <vector>

#include "appliance/guards.h"
#include "appliance/mpp/wallets.h"
#include "web/route.h"

namespace mpp {

// /api/agent/mpp on the web. The arguments must outlive the rows.
std::vector<web::Route> web_routes(Wallets&, const agentbox::Guards&);

}  // namespace mpp
