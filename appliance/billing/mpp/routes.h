#pragma once

#include <vector>

#include "appliance/billing/mpp/wallets.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace mpp {

// What the rows depend on; all of it must outlive them.
struct Services {
  Wallets& wallets;
  const agentbox::Guards& guards;
};

// /api/agent/mpp: the payment wallets of a user.
std::vector<web::Route> web_routes(const Services&);

}  // namespace mpp
