#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/payments/gateway/gateway.h"
#include "appliance/payments/gateway/plugins.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace gateway {

// What the rows depend on; all of it must outlive them.
struct Services {
  Gateway& gateway;
  Plugins& plugins;
  const agentbox::Site& site;
};

// /api/v1/gateway.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace gateway
