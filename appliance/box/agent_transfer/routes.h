#pragma once

#include <vector>

#include "appliance/box/agent_transfer/agent_transfer.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace agent_transfer {

// All outlive the rows.
struct Services {
  AgentTransfer& transfer;
  const accounts::Accounts& accounts;
  audit::Audit& audit;
};

// POST /api/admin/agents/:id/export and /api/admin/agents/import
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_transfer
