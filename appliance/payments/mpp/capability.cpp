#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/module.h"
#include "appliance/payments/mpp/routes.h"

namespace mpp {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module), payment_wallets(module.platform.system, module.wallets) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
  }
  Services services() { return {payment_wallets, payments.transfers, payments.ledger, payments.balances}; }
  web::Task<> start() { return payment_wallets.adopt_keys(); }

  payments::Module& payments;
  Wallets payment_wallets;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>({.tables = {store::describe(table)}, .web = web_routes});
}

}  // namespace mpp
