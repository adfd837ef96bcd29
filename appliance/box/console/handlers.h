#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "web/console_assets.h"
#include "web/protocol/http.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace console {

// Outlive the rows.
struct Services {};

enum class Caching { revalidate, forever };

// 304 if the client has the asset already.
web::Task<web::Result<web::Response>> serve_asset(const web::Asset&, Caching, const web::Request&);

// The browser console: its page at /, /login, /dashboard and /settings, and its files under /assets/.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace console
