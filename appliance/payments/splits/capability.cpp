#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/module.h"
#include "appliance/payments/splits/routes.h"

namespace splits {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
  }
  Services services() {
    return {payments.splits,   payments.wallets,  payments.ledger,
            payments.networks, payments.balances, payments.hosting.agents.directory};
  }
  web::Task<> start() {
    payments.splits.start();
    co_return;
  }
  web::Task<> stop() { return payments.splits.stop(); }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>({.tables = {store::describe(table)}, .backend = backend_routes});
}

}  // namespace splits
