#pragma once

#include <vector>

#include "appliance/box/maintenance/backups.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace maintenance {

// All outlive the rows.
struct Services {
  Backups& backups;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;  // for reads of folders
};

// POST /api/admin/backup, which `agentbox backup` calls while the box runs; and /api/admin/backups: those in the data
// folder.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace maintenance
