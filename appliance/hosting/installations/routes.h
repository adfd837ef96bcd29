#pragma once

#include <functional>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/installations/installations.h"
#include "appliance/identity/guards.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace installations {

// What the rows depend on; all of it must outlive them.
struct Services {
  Installations& installations;
  const billing::Subscriptions& subscriptions;
  std::function<std::string()> web_url;  // the public URL of this box
};

// Registration and heartbeats of installations, on the backend.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace installations
