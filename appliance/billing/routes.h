#pragma once

#include <vector>

#include "appliance/billing/subscriptions.h"
#include "appliance/guards.h"
#include "web/route.h"

namespace billing {

// POST /api/subscriptions/deploy on the backend. The arguments must outlive the rows.
std::vector<web::Route> routes(Subscriptions&, const agentbox::Guards&);

}  // namespace billing
