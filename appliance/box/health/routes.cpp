#include "appliance/box/health/routes.h"

#include "appliance/box/health/handlers.h"
#include "web/routes/endpoint.h"

namespace health {

using web::plain;

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& open = guards.none;
  return {
      {web::GET, "/health", open, nullptr,
       web::query<HealthQuery>(on(box_health))
           .returns<BoxHealth>()
           .describe(
               "`status` is degraded while `store` is read-only; with `?strict` the answer is 503 then. `store` "
               "is read-only from a write error until the disk takes writes again and the store was checked; "
               "`reason` has the cause. `disk` is `reserve reached` while less than DISK_RESERVE is free: agents, "
               "uploads, streams, videos and backups then write nothing. `isolation` is what keeps agents apart "
               "(strong, basic, none, container; docs/security.md); `isolationLacks` has what of it does not hold "
               "here, "
               "with the reason. `stalledEventLoops` counts network threads that have not returned to their event loop "
               "for 10 s; the log has their stacks."),
       "Health of the box"},
      {web::GET, "/healthz", open, nullptr,
       plain(on(show_liveness)).returns<Liveness>().describe("503 while the store is read-only."),
       "Whether the box works, for a container's liveness probe"},
      {web::GET, "/readyz", open, nullptr,
       plain(on(show_readiness))
           .returns<Readiness>()
           .describe("503 while the store is read-only: `failing` is then [\"store\"]."),
       "Whether the box can take requests, for a container's readiness probe"},
      {web::GET, "/api/health", open, nullptr,
       plain(on(machine_health))
           .returns<MachineHealth>()
           .describe("Usage in percent, memory in bytes, uptime in seconds. In a container with limits: relative to "
                     "these. `store` is read-only after a write error, until the box has recovered."),
       "Load of the machine"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto table = web_routes(guards, on);
  table.push_back(
      {web::GET, "/metrics", guards.backend.box, nullptr, plain(on(metrics_text)), "Metrics in Prometheus format"});
  table.push_back({web::GET, "/api/admin/metrics", guards.backend.box, nullptr,
                   plain(on(metrics_text)).describe("As GET /metrics."), "Metrics in Prometheus format"});
  return table;
}

}  // namespace health
