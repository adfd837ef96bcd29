#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/models/model_gateway.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace models::ai_api {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
  audit::Audit& audit;
};

// The contract's AI API, /api/ai/*, and POST /api/admin/models/reload.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::ai_api
