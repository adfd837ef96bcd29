#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/recovery/recovery.h"
#include "web/route.h"

namespace recovery {

// Web: forgot and reset password. The services must outlive the rows.
std::vector<web::Route> routes(Recovery&, audit::Audit&, const agentbox::Guards&);

}  // namespace recovery
