#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/network/a2a/card.h"
#include "appliance/network/a2a/tasks.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace a2a {

// What the rows depend on; all of it must outlive them.
struct Services {
  Tasks& tasks;
  const CardSigner& signer;
  store::System system;
  std::string agent_domain;                                          // agents' own hosts are beneath it
  std::function<std::string()> web_url;                              // the public URL of this box
  std::function<std::string(std::string_view subdomain)> agent_url;  // of an agent's own host
  std::function<std::optional<web::Caller>(const web::Request&)> caller_of;
};

// Paths that the box serves at the agents' own hosts instead of passing the request on.
bool is_at_agents_hosts(std::string_view path);

// Under /a2a/:agentId, and at each agent's own host.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Under /a2a/:agentId.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace a2a
