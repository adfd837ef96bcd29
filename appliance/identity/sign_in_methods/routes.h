#pragma once

#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace sign_in_methods {

// All of it must outlive the rows.
struct Services {
  const agentbox::Settings& settings;
};

// GET /api/auth/methods.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace sign_in_methods
