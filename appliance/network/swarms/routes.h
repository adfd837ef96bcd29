#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/network/swarms/swarms.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace swarms {

// All of them must outlive the rows.
struct Services {
  Swarms& swarms;
  Followers& followers;
};

// /api/swarms.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace swarms
