#include "appliance/payments/module.h"

#include "appliance/payments/settlement/ledger_settlement.h"

namespace payments {

Module::Module(hosting::Module& given_hosting)
    : platform(given_hosting.platform),
      identity(given_hosting.identity),
      billing(given_hosting.billing),
      models(given_hosting.models),
      hosting(given_hosting),
      ledger(platform.system),
      wallets(platform.system),
      networks(platform.settings),
      settlement(std::make_unique<settlement::LedgerSettlement>(ledger, wallets)),
      exact(platform, networks, wallets),
      checkout(platform.system, platform.settings, identity.site, identity.accounts),
      capabilities_(payments::capabilities(), *this) {}

}  // namespace payments
