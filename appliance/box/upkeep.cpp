#include "appliance/box/upkeep.h"

#include "appliance/box/console/routes.h"
#include "appliance/box/health/gauges.h"
#include "appliance/box/health/routes.h"
#include "appliance/box/maintenance/routes.h"
#include "appliance/foundation/redaction.h"
#include "web/metrics.h"

namespace agentbox {

using namespace std::chrono_literals;

Upkeep::Upkeep(const Platform& platform, store::Store& store, const web::LoopWatchdog& loop_watchdog,
               identity::Module& identity)
    : platform_(platform),
      store_(store),
      loop_watchdog_(loop_watchdog),
      identity_(identity),
      backups_(store, platform.backups, key_fingerprint(platform.master_key)),
      docker_(platform.settings.docker_host),
      docker_probe_(platform.home, "docker", 15s, [this] { return docker_.ask(); }) {}

Rows Upkeep::rows() {
  auto store_problem = [this] {
    auto reason = store_.read_only_reason();
    if (reason) reason = redact_paths(*reason);
    return reason;
  };
  auto stalled_loops = [this] { return loop_watchdog_.stalled(); };
  const health::Services health{host_,         docker_,       platform_.settings.provisioning_enabled,
                                store_problem, stalled_loops, identity_.guards};
  Rows rows;
  web::append(rows.web, console::web_routes({identity_.guards}));
  web::append(rows.web, health::web_routes(health));
  web::append(rows.backend,
              maintenance::backend_routes({backups_, identity_.authentication.audit(), identity_.guards}));
  web::append(rows.backend, health::backend_routes(health));
  return rows;
}

void Upkeep::start() {
  health::add_gauges(web::metrics(), store_);
  docker_probe_.start();
}

}  // namespace agentbox
