#pragma once

#include <vector>

#include "appliance/billing/spending/cap_policy.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace billing::spending {

// What the rows depend on; all of it must outlive them.
struct Services {
  const CapPolicy& caps;
  audit::Audit& audit;
};

// /api/caps: the caller's caps.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/caps: caps on plans and on any user.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::spending
