#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/box/acme/renewal.h"
#include "appliance/box/health/docker_probe.h"
#include "appliance/box/health/host_load.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/hosting/runtime/isolation.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace health {

// All outlive the rows.
struct Services {
  HostMeter& host;
  const DockerProbe& docker;
  std::chrono::steady_clock::time_point started;  // when the box started
  bool provisioning_enabled;
  std::function<std::optional<std::string>()> store_problem;  // why the store is read-only; nothing if it is not
  std::function<std::size_t()> stalled_loops;                 // network threads that have left their event loop
  const agentbox::DiskReserve& disk;
  std::function<runtime::Isolation()> isolation;  // of agents
  std::function<std::optional<acme::Renewal::Status>()> certificate;
};

// GET /health and GET /api/health.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same, GET /metrics and GET /api/admin/metrics.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace health
