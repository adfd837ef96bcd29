#pragma once

#include <functional>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/installations/installations.h"
#include "appliance/identity/guards.h"

namespace installations {

struct Parts {
  Installations& service;
  const billing::Subscriptions& subscriptions;
  std::function<std::string()> web_url;  // where people find this box
  const agentbox::Guards& guards;
};

// The registration API and the installations' heartbeat, on the backend. The parts must outlive the rows.
std::vector<web::Route> backend_routes(const Parts&);

}  // namespace installations
