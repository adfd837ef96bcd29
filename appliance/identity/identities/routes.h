#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/identities/own_identities.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace identities {

// What the rows depend on; all of it must outlive them.
struct Services {
  OwnIdentities& own;
};

// /api/settings/identities.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace identities
