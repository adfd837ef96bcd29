#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "web/route.h"

namespace console {

// The browser console: its page at /, /login and /dashboard, and its files under /assets/. The guards must outlive the
// rows.
std::vector<web::Route> routes(const agentbox::Guards&);

}  // namespace console
