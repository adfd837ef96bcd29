#include "appliance/foundation/periodic.h"
#include "appliance/identity/module.h"
#include "appliance/identity/personal_data/records.h"
#include "appliance/identity/personal_data/routes.h"

namespace personal_data {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        rounds(module.platform.home, "departures", 5min, [&module] { return module.departures.finish_all(); }) {}

  Services services() {
    return {identity.personal_data, identity.departures, identity.accounts,         identity.sessions,
            identity.second_factor, identity.audit,      identity.platform.blocking};
  }
  web::Task<> start() {
    rounds.start();
    co_return;
  }
  web::Task<> stop() { return rounds.stop(); }

  identity::Module& identity;
  agentbox::Periodic rounds;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(departures)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace personal_data
