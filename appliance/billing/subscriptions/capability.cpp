#include "appliance/billing/module.h"
#include "appliance/billing/subscriptions/routes.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/identity/personal_data/rows.h"

namespace billing::plans {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {
    module.identity.personal_data.add(
        personal_data::rows_of(module.platform.system, subscriptions, plan_periods, storage_upgrades));
  }
  Services services() { return {billing.subscriptions, billing.identity.audit}; }
  Module& billing;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>(
      {.tables = {store::describe(subscriptions), store::describe(plan_periods), store::describe(storage_upgrades)},
       .backend = backend_routes});
}

}  // namespace billing::plans
