#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace console {

// Outlive the rows.
struct Services {};

// The browser console: its page at /, /login, /dashboard and /settings, and its files under /assets/.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace console
