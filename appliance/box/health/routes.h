#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/box/health/docker_probe.h"
#include "appliance/box/health/host_load.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace health {

// The parts of the rows below; all outlive the rows.
struct RouteParts {
  HostMeter& host;
  const DockerProbe& docker;
  bool provisioning_enabled;
  std::function<std::optional<std::string>()> store_problem;  // why the store is read-only; nothing while it is well
  std::function<std::size_t()> stalled_loops;                 // network threads that no longer turn
  const agentbox::Guards& guards;
};

// GET /health and GET /api/health: on every listener of the box.
std::vector<web::Route> routes(const RouteParts&);
// GET /metrics, on the backend.
std::vector<web::Route> metrics_routes(const agentbox::Guards&);

}  // namespace health
