#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/operator_keys/operator_keys.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace operator_keys {

// What the rows depend on; all of it must outlive them.
struct Services {
  OperatorKeys& keys;
  audit::Audit& audit;
};

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace operator_keys
