#pragma once

#include <functional>
#include <vector>

#include "appliance/hosting/deployments/deployments.h"
#include "appliance/identity/guards.h"

namespace deployments {

struct Parts {
  Deployments& service;
  agents::Agents& agents;
  std::function<bool(store::UserId)> is_admin;
  const agentbox::Guards& guards;
};

// POST /api/provision on the web; it and POST /api/deployments on the backend. The parts must outlive the rows.
std::vector<web::Route> web_routes(const Parts&);
std::vector<web::Route> backend_routes(const Parts&);

}  // namespace deployments
