#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/recovery/recovery.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace recovery {

// What the rows depend on; all of it must outlive them.
struct Services {
  Recovery& recovery;
  audit::Audit& audit;
};

// Requesting a password reset, and choosing the new password.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace recovery
