#pragma once

#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace security_txt {

// Outlive the rows.
struct Services {
  const agentbox::Settings& settings;
  const agentbox::Guards& guards;
};

// GET /.well-known/security.txt
std::vector<web::Route> web_routes(const Services&);

}  // namespace security_txt
