#include "appliance/models/module.h"
#include "appliance/models/plan_overview/routes.h"

namespace models::plan_overview {

namespace {

struct Parts {
  explicit Parts(Module& module) : models(module) {}
  Services services() {
    return {models.identity.accounts, models.billing.subscriptions, models.billing.spend_policy,
            models.billing.ledger,    models.provider_keys,         models.identity.audit};
  }
  Module& models;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace models::plan_overview
