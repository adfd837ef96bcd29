#include "appliance/network/mcp_server/routes.h"
#include "appliance/network/module.h"

namespace mcp_server {

namespace {

// The tables that the marked rows are in.
std::vector<web::Route> rows_of(network::Module& module) {
  auto rows = module.billing.rows();
  rows.add(module.hosting.rows());
  return std::move(rows.web);
}

struct Parts {
  explicit Parts(network::Module& module)
      : network(module), tools(rows_of(module), [&module] { return module.hosting.summarizer_url(); }) {}

  Services services() {
    return {tools, sessions, network.identity.keys, network.hosting.agents.directory, network.identity.audit};
  }

  network::Module& network;
  const Tools tools;
  Sessions sessions;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = routes, .backend = routes}); }

}  // namespace mcp_server
