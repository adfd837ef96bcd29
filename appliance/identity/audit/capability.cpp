#include "appliance/foundation/periodic.h"
#include "appliance/identity/audit/routes.h"
#include "appliance/identity/module.h"

namespace audit {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "audit", 10min, [&module] { return module.audit.sweep(store::now()); }),
        failure_writer(module.platform.home, "failed attempts", failure_write_interval,
                       [&module] { return module.failures.write(); }) {}

  Services services() { return {identity.audit, identity.platform.blocking}; }
  web::Task<> start() {
    sweep.start();
    failure_writer.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await failure_writer.stop();
    co_await identity.failures.write();
  }

  identity::Module& identity;
  agentbox::Periodic sweep, failure_writer;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(entries)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace audit
