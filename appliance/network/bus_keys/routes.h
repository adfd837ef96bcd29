#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/network/bus_keys/bus_keys.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace bus_keys {

// What the rows depend on; all of it must outlive them.
struct Services {
  BusKeys& keys;
  audit::Audit& audit;
  store::System system;
};

// The caller's own agents on the web, every agent on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace bus_keys
