#include "appliance/hosting/agent_administration/routes.h"
#include "appliance/hosting/module.h"

namespace agent_administration {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() {
    return {hosting.agents, hosting.identity.accounts, hosting.identity.audit, hosting.platform.blocking};
  }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace agent_administration
