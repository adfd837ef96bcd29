#pragma once

#include <vector>

#include "appliance/billing/credits/credits.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace credits {

// What the rows depend on; all of it must outlive them.
struct Services {
  Credits& credits;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

// /api/credits: the caller's balance and entries, and whether credits pay for model calls.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/admin/credits: those of any user, and adjustments.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace credits
