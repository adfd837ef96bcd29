#include "appliance/payments/module.h"
#include "appliance/payments/wallets/routes.h"

namespace wallets {

namespace {

struct Parts {
  explicit Parts(payments::Module& module) : payments(module), cdp(module.platform.system, module.platform.settings) {}
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
