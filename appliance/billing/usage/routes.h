#pragma once

#include <functional>
#include <vector>

#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace usage {

// The arguments must outlive the rows.

// /api/usage/* and /api/metrics/:userId/* on the backend. The latter tell nothing of whom `is_user` does not know.
std::vector<web::Route> routes(Ledger&, std::function<bool(store::UserId)> is_user, const agentbox::Guards&);
// GET /api/dashboard/cost and /api/dashboard/calls on the web: one's own.
std::vector<web::Route> web_routes(Ledger&, const agentbox::Guards&);

}  // namespace usage
