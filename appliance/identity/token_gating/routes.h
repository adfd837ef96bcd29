#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/route.h"

namespace token_gating {

// What the rows depend on; all of it must outlive them.
struct Services {
  TokenGating& gating;
  const agentbox::Guards& guards;
};

std::vector<web::Route> web_routes(const Services&);

}  // namespace token_gating
