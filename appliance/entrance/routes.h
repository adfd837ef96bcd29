#pragma once

#include <vector>

#include "appliance/entrance/entrance.h"
#include "appliance/guards.h"
#include "web/route.h"

namespace entrance {

// Web: going on with a sign-in that lacks the second factor. The services must outlive the rows.
std::vector<web::Route> routes(Entrance&, const agentbox::Guards&);

}  // namespace entrance
