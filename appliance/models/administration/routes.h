#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/models/administration/local_servers.h"
#include "appliance/models/administration/stored_providers.h"
#include "appliance/models/model_gateway.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace models::administration {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  StoredProviders& stored;
  LocalServers& local_servers;
  audit::Audit& audit;
};

// /api/admin/models/providers and /api/admin/models/local-servers.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::administration
