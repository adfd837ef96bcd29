#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/verification/verification.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace verification {

// What the rows depend on; all of it must outlive them.
struct Services {
  Verification& verification;
  audit::Audit& audit;
};

// Verifying the user's own e-mail address.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace verification
