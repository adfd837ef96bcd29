#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/payments/cdp/cdp.h"
#include "appliance/payments/chains/balances.h"
#include "appliance/payments/wallets/wallets.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace wallets {

// What the rows depend on; all of it must outlive them.
struct Services {
  Wallets& wallets;
  ledger::Ledger& ledger;
  chains::Networks& networks;
  chains::Balances& balances;
  cdp::Cdp& cdp;
};

// /api/wallet.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace wallets
