#pragma once

#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/guards.h"
#include "appliance/payments/chains/balances.h"
#include "appliance/payments/splits/splits.h"
#include "appliance/payments/wallets/wallets.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace splits {

// What the rows depend on; all of it must outlive them.
struct Services {
  Splits& splits;
  wallets::Wallets& wallets;
  const ledger::Ledger& ledger;
  chains::Networks& networks;
  chains::Balances& balances;
  const agents::AgentDirectory& agents;
};

// /api/underground/wallets and /splits.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace splits
