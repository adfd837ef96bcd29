#include "appliance/payments/module.h"
#include "appliance/payments/overview/routes.h"

namespace payments::overview {

namespace {

struct Parts {
  explicit Parts(Module& module) : payments(module) {}
  Services services() {
    return {payments.identity.accounts, payments.billing.subscriptions, payments.billing.spend_policy,
            payments.billing.ledger,    payments.models.provider_keys,  payments.checkout,
            payments.identity.audit};
  }
  Module& payments;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace payments::overview
