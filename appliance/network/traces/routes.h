#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/network/traces/traces.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace traces {

// What the rows depend on; all of it must outlive them.
struct Services {
  Traces& traces;
};

// /api/traces: of the session's user on the web listener, of any user on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace traces
