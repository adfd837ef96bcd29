#include "appliance/box/maintenance/routes.h"
#include "appliance/box/maintenance/scheduled_backups.h"
#include "appliance/box/module.h"

namespace maintenance {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        backups(module.store, module.platform),
        scheduled(module.platform, backups, module.identity.audit) {}
  Services services() { return {backups, box.identity.audit, box.platform.blocking}; }
  web::Task<> start() {
    scheduled.start();
    co_return;
  }
  web::Task<> stop() { return scheduled.stop(); }

  box::Module& box;
  Backups backups;
  ScheduledBackups scheduled;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace maintenance
