#include "appliance/foundation/periodic.h"
#include "appliance/identity/invites/routes.h"
#include "appliance/identity/module.h"

namespace invites {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "invites", 10min, [&module] { return module.invites.sweep(store::now()); }) {}

  Services services() { return {identity.invites, identity.accounts, identity.audit, identity.platform.blocking}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  identity::Module& identity;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace invites
