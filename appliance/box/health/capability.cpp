#include "appliance/box/health/docker_probe.h"
#include "appliance/box/health/gauges.h"
#include "appliance/box/health/routes.h"
#include "appliance/box/module.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/redaction.h"
#include "web/metrics.h"

namespace health {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        docker(module.platform.settings.docker_host),
        docker_probe(module.platform.home, "docker", 15s, [this] { return docker.ask(); }) {}

  Services services() {
    auto store_problem = [this] {
      auto reason = box.store.read_only_reason();
      if (reason) reason = agentbox::redact_paths(*reason);
      return reason;
    };
    return {host,
            docker,
            std::chrono::steady_clock::now(),
            box.platform.settings.provisioning_enabled,
            store_problem,
            [this] { return box.loop_watchdog.stalled(); },
            disk,
            [this] { return box.hosting.engine->isolation(); },
            [this] { return box.certificate.status(); }};
  }
  web::Task<> start() {
    add_gauges(web::metrics(), box.store);
    docker_probe.start();
    co_return;
  }
  web::Task<> stop() { return docker_probe.stop(); }

  box::Module& box;
  const agentbox::DiskReserve disk{box.platform.folder.path(), box.platform.settings.disk_reserve};
  HostMeter host;
  DockerProbe docker;
  agentbox::Periodic docker_probe;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace health
