#include "appliance/billing/credits/leaving.h"
#include "appliance/billing/credits/routes.h"
#include "appliance/billing/module.h"
#include "appliance/identity/personal_data/rows.h"

namespace credits {

namespace {

struct Parts {
  explicit Parts(billing::Module& module) : billing(module) {
    auto part = personal_data::rows_of(module.platform.system, entries, choices);
    part.obstacle = [&module](store::UserId user) { return obstacle_to_leaving(module.credits, user); };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() { return {billing.credits, billing.identity.accounts, billing.identity.audit}; }
  billing::Module& billing;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>(
      {.tables = {store::describe(entries), store::describe(choices)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace credits
