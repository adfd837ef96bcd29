#include "appliance/hosting/mcp_servers/routes.h"
#include "appliance/hosting/module.h"

namespace mcp_servers {

namespace {

ClientLimits limits_of(const agentbox::Settings& settings) {
  ClientLimits limits;
  if (settings.summarizer_allow_private) limits.reach = web::Reach::configured;
  return limits;
}

struct Parts {
  explicit Parts(hosting::Module& module) : servers(module.agents.directory, limits_of(module.platform.settings)) {
    module.agents.when_removed([this](store::UserId, std::string agent) -> web::Task<> {
      servers.forget(agent);
      co_return;
    });
  }
  Services services() { return {servers}; }

  McpServers servers;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace mcp_servers
