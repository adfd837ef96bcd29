#pragma once

#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace security_txt {

// Outlive the rows.
struct Services {
  const agentbox::Settings& settings;
};

// GET /.well-known/security.txt
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace security_txt
