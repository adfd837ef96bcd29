#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/models/model_gateway.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace models::playground {

// What the rows depend on; all of it must outlive them.
struct Services {
  ModelGateway& gateway;
};

// /api/playground.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace models::playground
