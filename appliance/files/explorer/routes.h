#pragma once

#include <vector>

#include "appliance/files/explorer/explorer.h"
#include "appliance/files/explorer/git_hosts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace explorer {

// /api/browse/* on the backend.
std::vector<web::Route> routes(Explorer&, const agentbox::Guards&);

// /api/admin/git-hosts on the backend: the box's accounts at git hosts.
std::vector<web::Route> admin_routes(GitHosts&, audit::Audit&, const agentbox::Guards&);

}  // namespace explorer
