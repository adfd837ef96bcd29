#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/second_factor/factor_settings.h"
#include "appliance/identity/site.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace second_factor {

// What the rows depend on; all of it must outlive them.
struct Services {
  FactorSettings& settings;
  const agentbox::Site& site;
};

// The user's own second factor: app, recovery codes and passkeys.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace second_factor
