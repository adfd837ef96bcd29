#pragma once

#include <vector>

#include "appliance/hosting/uploads/uploads.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace uploads {

// All of them must outlive the rows.
struct Services {
  Uploads& uploads;
  const agentbox::Guards& guards;
};

// /api/files.
std::vector<web::Route> web_routes(const Services&);

}  // namespace uploads
