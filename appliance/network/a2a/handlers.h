// Handlers of the rows of A2A.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/network/a2a/card.h"
#include "appliance/network/a2a/rpc.h"
#include "appliance/network/a2a/tasks.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace a2a {

// What the rows depend on; all of it must outlive them.
struct Services {
  Tasks& tasks;
  const CardSigner& signer;
  store::System system;
  std::string agent_domain;                                          // agents' own hosts are under it
  std::function<std::string()> web_url;                              // the public URL of this box
  std::function<std::string(std::string_view subdomain)> agent_url;  // of an agent's own host
  std::function<std::optional<web::Caller>(const web::Request&)> caller_of;
};

// The last part of the path where clients before version 0.3 look for a card.
inline constexpr std::string_view legacy_card_name = "/agent.json";

// Paths that the box serves at the agents' own hosts instead of passing the request on.
bool is_at_agents_hosts(std::string_view path);

// The agent that a request names, and where its JSON-RPC is. Whether the caller is admitted is not yet decided.
struct Addressed {
  bus::Participant agent;
  std::string url;
};
using AgentOf = std::optional<Addressed> (*)(const Services&, const web::Request&);
std::optional<Addressed> agent_in_path(const Services&, const web::Request&);
std::optional<Addressed> agent_of_host(const Services&, const web::Request&);

web::Answer show_keys(const Services&, const web::Request&);
web::Answer show_card(const Services&, AgentOf, const web::Request&);
web::Answer answer_call(const Services&, AgentOf, const web::Request&, Request);

// Under /a2a/:agentId, and at each agent's own host.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Under /a2a/:agentId.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace a2a
