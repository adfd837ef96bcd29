#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/module.h"
#include "appliance/payments/wallets/routes.h"

namespace wallets {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module), cdp(module.platform.system, module.platform.settings) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table, cdp::accounts));
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, keys));
  }
  Services services() { return {payments.wallets, payments.ledger, payments.networks, payments.balances, cdp}; }

  payments::Module& payments;
  cdp::Cdp cdp;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>(
      {.tables = {store::describe(table), store::describe(keys), store::describe(cdp::accounts)}, .web = web_routes});
}

}  // namespace wallets
