#pragma once

#include <vector>

#include "appliance/guards.h"
#include "appliance/usage/ledger.h"
#include "web/route.h"

namespace usage {

// GET /api/usage/summary on the backend. Both arguments must outlive the rows.
std::vector<web::Route> routes(Ledger&, const agentbox::Guards&);

}  // namespace usage
