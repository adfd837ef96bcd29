#include "appliance/billing/api_keys/routes.h"
#include "appliance/billing/module.h"

namespace billing::api_keys {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {}
  Services services() {
    return {billing.identity.keys, billing.subscriptions, billing.ledger, billing.identity.audit,
            billing.platform.system};
  }
  Module& billing;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace billing::api_keys
