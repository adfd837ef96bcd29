#include "appliance/billing/module.h"
#include "appliance/billing/mpp/routes.h"

namespace mpp {

namespace {

struct Parts {
  explicit Parts(billing::Module& module) : payment_wallets(module.platform.system) {}
  Services services() { return {payment_wallets}; }
  Wallets payment_wallets;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>({.tables = {store::describe(wallets)}, .web = web_routes});
}

}  // namespace mpp
