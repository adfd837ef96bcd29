#pragma once

#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/guards.h"
#include "appliance/payments/transfers/transfers.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace transfers {

// What the rows depend on; all of it must outlive them.
struct Services {
  Transfers& transfers;
  wallets::Wallets& wallets;
  const ledger::Ledger& ledger;
  chains::Balances& balances;
  const agents::AgentDirectory& agents;
};

// /api/wallet/transfer, /transfers, /rules and /agents: for the owner of the wallets.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-payments: for agents, with their own wallet.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace transfers
