#include "appliance/hosting/agent_actions/routes.h"
#include "appliance/hosting/module.h"

namespace agent_actions {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.agents, hosting.chat}; }
  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace agent_actions
