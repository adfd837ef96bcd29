#pragma once

#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace billing {

// POST /api/subscriptions/deploy on the backend. The arguments must outlive the rows.
std::vector<web::Route> routes(Subscriptions&, audit::Audit&, const agentbox::Guards&);

// GET /api/credits on the web.
std::vector<web::Route> web_routes(const accounts::Accounts&, const agentbox::Guards&);

}  // namespace billing
