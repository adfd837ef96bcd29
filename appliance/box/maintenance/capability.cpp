#include "appliance/box/maintenance/routes.h"
#include "appliance/box/module.h"
#include "appliance/foundation/redaction.h"

namespace maintenance {

namespace {

struct Parts {
  explicit Parts(box::Module& module) : box(module), backups(module.store, module.platform) {}
  Services services() { return {backups, box.identity.audit, box.platform.blocking}; }

  box::Module& box;
  Backups backups;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace maintenance
