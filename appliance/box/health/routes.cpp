#include "appliance/box/health/routes.h"

#include "appliance/box/health/handlers.h"
#include "web/endpoint.h"

namespace health {

using web::plain;
using web::Request;

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& open = guards.none;
  return {
      {web::GET, "/health", open, nullptr,
       plain(on(box_health))
           .returns<BoxHealth>()
           .describe("`store` is read-only after a write error; `reason` has the cause. `stalledEventLoops` counts "
                     "network threads that have not returned to their event loop for 10 s; the log has their stacks."),
       "Health of the box"},
      {web::GET, "/api/health", open, nullptr,
       plain(on(machine_health))
           .returns<MachineHealth>()
           .describe("Usage in percent, memory in bytes, uptime in seconds. In a container with limits: relative to "
                     "these."),
       "Load of the machine"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto table = web_routes(guards, on);
  table.push_back(
      {web::GET, "/metrics", guards.backend.box, nullptr, plain(on(metrics_text)), "Metrics in Prometheus format"});
  return table;
}

}  // namespace health
