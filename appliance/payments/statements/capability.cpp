#include "appliance/payments/module.h"
#include "appliance/payments/statements/routes.h"

namespace payments::statements {

namespace {

struct Parts {
  explicit Parts(Module& module)
      : payments(module),
        sources{.system = module.platform.system,
                .subscriptions = module.billing.subscriptions,
                .ledger = module.billing.ledger,
                .credits = module.billing.credits} {}
  Services services() { return {sources, payments.identity.accounts, payments.platform.blocking}; }

  Module& payments;
  const Sources sources;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace payments::statements
