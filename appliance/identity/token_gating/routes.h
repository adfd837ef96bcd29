#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace token_gating {

// What the rows depend on; all of it must outlive them.
struct Services {
  TokenGating& gating;
};

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace token_gating
