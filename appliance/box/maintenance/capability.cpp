#include "appliance/box/maintenance/routes.h"
#include "appliance/box/module.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/foundation/redaction.h"

namespace maintenance {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        backups(module.store, module.platform.backups, agentbox::key_fingerprint(module.platform.master_key),
                agentbox::DiskReserve(module.platform.folder.path(), module.platform.settings.disk_reserve).bytes()) {}
  Services services() { return {backups, box.identity.audit}; }

  box::Module& box;
  Backups backups;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace maintenance
