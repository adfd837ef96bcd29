#pragma once

#include <vector>

#include "appliance/hosting/uploads/uploads.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace uploads {

// All of them must outlive the rows.
struct Services {
  Uploads& uploads;
};

// /api/files, and uploads to /api/agents/:id/files.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace uploads
