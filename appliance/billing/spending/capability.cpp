#include "appliance/billing/module.h"
#include "appliance/billing/spending/routes.h"
#include "appliance/identity/personal_data/rows.h"

namespace billing::spending {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, caps));
  }
  Services services() { return {billing.cap_policy, billing.identity.audit}; }
  Module& billing;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(caps)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace billing::spending
