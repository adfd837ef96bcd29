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
      docker_(platform.settings.docker_host),
      docker_probe_(platform.home, "docker", 15s, [this] { return docker_.ask(); }) {}

Rows Upkeep::rows() {
  auto store_problem = [this] {
    auto reason = store_.read_only_reason();
    if (reason) reason = redact_paths(*reason);
    return reason;
  };
  auto stalled_loops = [this] { return loop_watchdog_.stalled(); };
  const health::RouteParts vitals{host_,         docker_,       platform_.settings.provisioning_enabled,
                                  store_problem, stalled_loops, identity_.guards};
  Rows rows;
  web::append(rows.web, console::routes(identity_.guards));
  web::append(rows.web, health::routes(vitals));
  web::append(rows.backend, maintenance::routes({store_, platform_.blocking, key_fingerprint(platform_.master_key),
                                                 identity_.authentication.audit(), identity_.guards}));
  web::append(rows.backend, health::routes(vitals));
  web::append(rows.backend, health::metrics_routes(identity_.guards));
  return rows;
}

void Upkeep::start() {
  health::add_gauges(web::metrics(), store_);
  docker_probe_.start();
}

}  // namespace agentbox
