#pragma once

#include <vector>

#include "appliance/guards.h"
#include "appliance/usage/ledger.h"
#include "web/route.h"

namespace usage {

// The arguments must outlive the rows.

// /api/usage/* and /api/metrics/:userId/* on the backend.
std::vector<web::Route> routes(Ledger&, const agentbox::Guards&);
// GET /api/dashboard/cost on the web: one's own.
std::vector<web::Route> web_routes(Ledger&, const agentbox::Guards&);

}  // namespace usage
