#pragma once

#include <vector>

#include "appliance/billing/plan_requests/plan_requests.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace billing::plan_requests {

// What the rows depend on; all of it must outlive them.
struct Services {
  PlanRequests& requests;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

// /api/subscriptions/request; and /api/admin/plan-requests for administrators' sessions.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/plan-requests.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::plan_requests
