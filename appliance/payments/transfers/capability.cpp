#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/module.h"
#include "appliance/payments/transfers/return_balance.h"
#include "appliance/payments/transfers/routes.h"

namespace transfers {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module) {
    // What a removed agent held on the box's ledger goes back to its owner.
    module.hosting.agents.when_removed([&module](store::UserId user, std::string agent) -> web::Task<> {
      co_await return_balance(module.ledger, user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table, rules_table));
  }
  Services services() {
    return {payments.transfers, payments.wallets, payments.ledger, payments.balances,
            payments.hosting.agents.directory};
  }
  web::Task<> start() {
    payments.transfers.start();
    co_return;
  }
  web::Task<> stop() { return payments.transfers.stop(); }

  payments::Module& payments;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(table), store::describe(rules_table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace transfers
