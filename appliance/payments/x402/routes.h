#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/payments/x402/facilitator.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace x402 {

// What the rows depend on; all of it must outlive them.
struct Services {
  Facilitator& facilitator;
};

// /x402.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace x402
