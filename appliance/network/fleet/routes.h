#pragma once

#include <string>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/network/fleet/costs.h"
#include "appliance/network/fleet/graph.h"
#include "appliance/network/negotiation/negotiation.h"
#include "appliance/network/traces/traces.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace fleet {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Souls& souls;
  traces::Traces& traces;
  const Costs& costs;
  const negotiation::Negotiation& negotiation;
  store::System system;
  const std::string& web_url;
};

// /api/mission-control/fleet/*: of the session's user on the web listener, of any user on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace fleet
