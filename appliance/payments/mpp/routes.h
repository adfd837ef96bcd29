#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/payments/mpp/wallets.h"
#include "appliance/payments/transfers/transfers.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace mpp {

// What the rows depend on; all of it must outlive them.
struct Services {
  Wallets& wallets;
  transfers::Transfers& transfers;
  const ledger::Ledger& ledger;
  chains::Balances& balances;
};

// /api/agent/mpp: the payment wallets of a user.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mpp
