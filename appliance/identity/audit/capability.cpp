#include "appliance/foundation/periodic.h"
#include "appliance/identity/audit/routes.h"
#include "appliance/identity/module.h"
#include "web/log.h"

namespace audit {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "audit", 10min, [&module] { return module.audit_heads.sweep(store::now()); }),
        head_signer(module.platform.home, "audit heads", head_interval,
                    [&module] { return module.audit_heads.sign(); }),
        failure_writer(module.platform.home, "failed attempts", failure_write_interval,
                       [&module] { return module.failures.write(); }) {}

  Services services() { return {identity.audit, identity.audit_heads, identity.platform.blocking}; }
  web::Task<> start() {
    sweep.start();
    head_signer.start();
    failure_writer.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await failure_writer.stop();
    co_await head_signer.stop();
    co_await identity.failures.write();
    try {
      co_await identity.audit_heads.sign();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("audit_head_not_signed", {{"reason", std::string(error.what())}});
    }
  }

  identity::Module& identity;
  agentbox::Periodic sweep, head_signer, failure_writer;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(entries), store::describe(chain_points), store::describe(heads)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace audit
