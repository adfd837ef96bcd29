#pragma once

#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/deployments/deployments.h"
#include "appliance/hosting/deployments/stream_source.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace deployments {

// What the rows depend on; all of it must outlive them.
struct Services {
  Deployments& deployments;
  const agents::AgentAddresses& addresses;
  const billing::SpendPolicy& spend_policy;
  const StreamSource& stream_source;  // may be empty
};

// POST /api/provision on the web; the same and POST /api/deployments on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace deployments
