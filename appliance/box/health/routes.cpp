#include "appliance/box/health/routes.h"

#include "appliance/box/health/handlers.h"
#include "web/endpoint.h"

namespace health {

using web::plain;
using web::Request;

std::vector<web::Route> web_routes(const Services& services) {
  const auto& open = services.guards.none;
  const auto started = std::chrono::steady_clock::now();
  return {
      {web::GET, "/health", open, nullptr,
       plain([services](Request&) { return box_health(services); })
           .returns<BoxHealth>()
           .describe("`store` is read-only after a write error; `reason` has the cause. `stalledEventLoops` counts "
                     "network threads that have not returned to their event loop for 10 s; the log has their stacks."),
       "Health of the box"},
      {web::GET, "/api/health", open, nullptr,
       plain([services, started](Request&) { return machine_health(services, started); })
           .returns<MachineHealth>()
           .describe("Usage in percent, memory in bytes, uptime in seconds. In a container with limits: relative to "
                     "these."),
       "Load of the machine"},
  };
}

std::vector<web::Route> backend_routes(const Services& services) {
  auto table = web_routes(services);
  table.push_back({web::GET, "/metrics", services.guards.internal_key, nullptr,
                   plain([](Request&) { return metrics_text(); }), "Metrics in Prometheus format"});
  return table;
}

}  // namespace health
