#include "appliance/billing/credits/routes.h"
#include "appliance/billing/module.h"

namespace credits {

namespace {

struct Parts {
  explicit Parts(billing::Module& module) : billing(module) {}
  Services services() { return {billing.credits, billing.identity.accounts, billing.identity.audit}; }
  billing::Module& billing;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>(
      {.tables = {store::describe(entries), store::describe(choices)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace credits
