#pragma once

#include <vector>

#include "appliance/billing/mpp/wallets.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace mpp {

// /api/agent/mpp on the web. The arguments must outlive the rows.
std::vector<web::Route> web_routes(Wallets&, const agentbox::Guards&);

}  // namespace mpp
