#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace plan_egress {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  audit::Audit& audit;
};

// /api/admin/plans.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace plan_egress
