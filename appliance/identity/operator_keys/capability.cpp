#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"
#include "appliance/identity/operator_keys/routes.h"
#include "web/log.h"

namespace operator_keys {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module), uses(module.platform.home, "uses of operator keys", 30s, [&module] {
          return module.operator_keys.flush_uses();
        }) {}

  Services services() { return {identity.operator_keys, identity.audit}; }
  web::Task<> start() {
    uses.start();
    co_return;
  }
  web::Task<> stop() {
    co_await uses.stop();
    try {
      co_await identity.operator_keys.flush_uses();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("uses_not_written", {{"reason", std::string(error.what())}});
    }
  }

  identity::Module& identity;
  agentbox::Periodic uses;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(operator_keys)}, .backend = backend_routes});
}

}  // namespace operator_keys
