#pragma once

#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace billing::plans {

// What the rows depend on; all of it must outlive them.
struct Services {
  Subscriptions& subscriptions;
  audit::Audit& audit;
};

// POST /api/subscriptions/deploy.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::plans
