#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"
#include "appliance/identity/verification/records.h"
#include "appliance/identity/verification/routes.h"

namespace verification {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module), sweep(module.platform.home, "verification", 10min, [&module] {
          return module.verification.sweep(store::now());
        }) {}

  Services services() { return {identity.verification, identity.audit}; }
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
  return identity::Capability::of<Parts>({.tables = {store::describe(tokens)}, .web = web_routes});
}

}  // namespace verification
