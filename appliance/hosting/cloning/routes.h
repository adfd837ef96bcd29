#pragma once

#include <vector>

#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/cloning/cloning.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace cloning {

// What the rows depend on; all of it must outlive them.
struct Services {
  Cloning& cloning;
  const agents::AgentAddresses& addresses;
  const agentbox::Guards& guards;
};

// /api/agents/clone.
std::vector<web::Route> web_routes(const Services&);

}  // namespace cloning
