#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/payments/ledger/ledger.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace ledger {

// What the rows depend on; all of it must outlive them.
struct Services {
  Ledger& ledger;
  const agents::AgentDirectory& agents;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;
};

// /api/admin/ledger, for sessions of administrators.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same for the internal key.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace ledger
