#include "appliance/hosting/installations/routes.h"
#include "appliance/hosting/module.h"

namespace installations {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        installations(module.platform.system, module.platform.settings.installation_heartbeat_interval) {}
  Services services() {
    return {installations, hosting.billing.subscriptions, [this] { return hosting.web_url(); }};
  }

  hosting::Module& hosting;
  Installations installations;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(table)}, .backend = backend_routes});
}

}  // namespace installations
