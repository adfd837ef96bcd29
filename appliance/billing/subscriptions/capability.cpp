#include "appliance/billing/module.h"
#include "appliance/billing/subscriptions/routes.h"

namespace billing::plans {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {}
  Services services() { return {billing.identity.accounts, billing.subscriptions, billing.identity.audit}; }
  Module& billing;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>(
      {.tables = {store::describe(subscriptions)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace billing::plans
