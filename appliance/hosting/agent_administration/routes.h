#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace agent_administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  agents::Agents& agents;
  accounts::Accounts& accounts;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

// /api/admin/agents.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace agent_administration
