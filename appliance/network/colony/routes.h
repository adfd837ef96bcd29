#pragma once

#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/guards.h"
#include "appliance/network/colony/colony.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace colony {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  const fleet::Souls& souls;
  const billing::Subscriptions& subscriptions;
  std::string_view engine;
};

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace colony
