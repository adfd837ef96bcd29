#pragma once

#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace otlp {

// What the rows depend on; all of it must outlive them.
struct Services {
  spans::Recorder& recorder;
};

// POST /v1/traces, for the guard's agents and keys.
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace otlp
