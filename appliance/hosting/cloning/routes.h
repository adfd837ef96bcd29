// /api/agents/clone: another agent like one of one's own, paid for once.
#pragma once

#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/cloning/payment_lookup.h"
#include "appliance/identity/guards.h"

namespace cloning {

// The arguments must outlive the rows.
std::vector<web::Route> web_routes(agents::Agents&, PaymentLookup&, store::System, const agentbox::Guards&);

}  // namespace cloning
