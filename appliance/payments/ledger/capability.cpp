#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/ledger/leaving.h"
#include "appliance/payments/ledger/routes.h"
#include "appliance/payments/module.h"

namespace ledger {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {
    // Entries stay: each has another side, and all of them sum to zero.
    auto part = personal_data::rows_of(module.platform.system, entries);
    part.erase = {};
    part.obstacle = [&module](store::UserId user) {
      return obstacle_to_leaving(module.ledger, user, module.hosting.agents.directory.list(user));
    };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() {
    return {payments.ledger, payments.hosting.agents.directory, payments.hosting.identity.audit,
            payments.platform.blocking};
  }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(transfers), store::describe(entries)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace ledger
