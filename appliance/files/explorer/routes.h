#pragma once

#include <vector>

#include "appliance/files/explorer/explorer.h"
#include "appliance/files/explorer/git_hosts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace explorer {

// All of them must outlive the rows.
struct Services {
  Explorer& explorer;
  GitHosts& git_hosts;
  audit::Audit& audit;
};

// /api/browse/* and /api/admin/git-hosts.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace explorer
