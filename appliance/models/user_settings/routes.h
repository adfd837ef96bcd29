#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/provider_keys.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace models::user_settings {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  ProviderKeys& keys;
  audit::Audit& audit;
};

// /api/models, /api/response-cache and /api/provider-keys: what users set for their own calls.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::user_settings
