#include "appliance/foundation/periodic.h"
#include "appliance/identity/mail/personal_data.h"
#include "appliance/identity/mail/records.h"
#include "appliance/identity/mail/routes.h"
#include "appliance/identity/module.h"

namespace mail {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "mail", 10min, [&module] { return module.outbox.sweep(store::now()); }) {
    module.personal_data.add(personal_data_of(module.platform.system, module.platform.blocking));
  }

  Services services() { return {identity.outbox, identity.platform.blocking}; }
  web::Task<> start() {
    identity.outbox.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await identity.outbox.stop();
  }

  identity::Module& identity;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(mails)}, .backend = backend_routes});
}

}  // namespace mail
