#pragma once

#include <vector>

#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/cloning/cloning.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace cloning {

// What the rows depend on; all of it must outlive them.
struct Services {
  Cloning& cloning;
  const agents::AgentAddresses& addresses;
};

// /api/agents/clone.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace cloning
