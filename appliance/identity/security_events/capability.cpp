#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"
#include "appliance/identity/security_events/records.h"
#include "appliance/identity/security_events/routes.h"

namespace security_events {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        events(module.platform.system, {module.platform.settings.idp_issuer, module.platform.settings.idp_client_id},
               module.identities, module.accounts, module.sessions, module.audit, module.platform.home),
        sweep(module.platform.home, "security events", 10min, [this] { return events.sweep(store::now()); }) {}

  Services services() { return {events, identity.failures, identity.platform.blocking}; }
  web::Task<> start() {
    events.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await events.stop();
  }

  identity::Module& identity;
  SecurityEvents events;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(received)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace security_events
