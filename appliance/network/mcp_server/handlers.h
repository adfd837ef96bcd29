#pragma once

#include <boost/json.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/access/keys.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/gate/turns.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/site.h"
#include "appliance/network/mcp_server/pages.h"
#include "appliance/network/mcp_server/sessions.h"
#include "appliance/network/mcp_server/tools.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace mcp_server {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Tools& tools;
  Sessions& sessions;
  const keys::Keys& keys;
  const agents::AgentDirectory& agents;
  audit::Audit& audit;
  gate::TurnTracker& turns;
  const agentbox::Site& site;
  const web::CrossOrigin& cross_origin;
};

// RFC 9728. API keys and the tokens of the box itself (authorization/) are sent in the Authorization header.
struct ProtectedResource {
  std::string resource, resource_name;
  std::vector<std::string> authorization_servers, scopes_supported, bearer_methods_supported;
  std::string resource_documentation;
};
BOOST_DESCRIBE_STRUCT(ProtectedResource, (),
                      (resource, resource_name, authorization_servers, scopes_supported, bearer_methods_supported,
                       resource_documentation))

struct RpcResponse {
  std::string jsonrpc;
  boost::json::value id;
  std::optional<boost::json::object> result, error;
};
BOOST_DESCRIBE_STRUCT(RpcResponse, (), (jsonrpc, id, result, error))

// /mcp: the box as an MCP server, on both listeners.
std::vector<web::Route> routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same, and what it says about itself.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mcp_server
