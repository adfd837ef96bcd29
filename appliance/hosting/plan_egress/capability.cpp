#include "appliance/hosting/module.h"
#include "appliance/hosting/plan_egress/records.h"
#include "appliance/hosting/plan_egress/routes.h"

namespace plan_egress {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.platform.system, hosting.identity.audit}; }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(bounds)}, .backend = backend_routes});
}

}  // namespace plan_egress
