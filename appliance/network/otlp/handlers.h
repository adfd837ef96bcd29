#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/spans/recorder.h"
#include "web/routes/bind.h"
#include "web/routes/body_stream.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace otlp {

// What the rows depend on; all of it must outlive them.
struct Services {
  spans::Recorder& recorder;
};

inline constexpr std::size_t max_body_bytes = 4u << 20, max_decoded_bytes = 16u << 20;

// POST /v1/traces, for the guard's agents and keys.
std::vector<web::Route> routes(const web::Guard&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace otlp
