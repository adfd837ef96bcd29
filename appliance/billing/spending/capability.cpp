#include "appliance/billing/module.h"
#include "appliance/billing/spending/routes.h"

namespace billing::spending {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {}
  Services services() { return {billing.cap_policy, billing.identity.audit}; }
  Module& billing;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(caps)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace billing::spending
