#include "appliance/hosting/deployments/routes.h"
#include "appliance/hosting/module.h"

namespace deployments {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module), deployments(module.agents, module.billing.subscriptions, [&module](store::UserId user) {
          return module.identity.is_admin(user);
        }) {}
  Services services() {
    return {deployments, hosting.agents.addresses, hosting.billing.spend_policy, hosting.stream_source()};
  }

  hosting::Module& hosting;
  Deployments deployments;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace deployments
