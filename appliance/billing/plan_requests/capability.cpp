#include "appliance/billing/module.h"
#include "appliance/billing/plan_requests/routes.h"
#include "appliance/identity/personal_data/rows.h"

namespace billing::plan_requests {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module), requests(module.platform.system, module.subscriptions) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, plan_requests));
  }
  Services services() { return {requests, billing.identity.accounts, billing.identity.audit}; }
  Module& billing;
  PlanRequests requests;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>(
      {.tables = {store::describe(plan_requests)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace billing::plan_requests
