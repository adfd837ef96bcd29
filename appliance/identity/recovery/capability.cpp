#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"
#include "appliance/identity/recovery/records.h"
#include "appliance/identity/recovery/routes.h"

namespace recovery {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        recovery(module.platform.system, module.accounts, module.identities, module.second_factor, module.outbox,
                 module.site, module.platform.home),
        sweep(module.platform.home, "recovery", 10min, [this] { return recovery.sweep(store::now()); }) {}

  Services services() { return {recovery, identity.audit}; }
  web::Task<> start() {
    recovery.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await recovery.stop();
  }

  identity::Module& identity;
  Recovery recovery;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(requests), store::describe(tokens)}, .web = web_routes});
}

}  // namespace recovery
