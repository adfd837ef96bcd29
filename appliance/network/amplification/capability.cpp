#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/module.h"

namespace amplification {

namespace {

// No rows: agents post and follow over the bus.
struct Services {};

struct Parts {
  explicit Parts(network::Module& module)
      : spreading(module.platform.home, "amplification", std::chrono::milliseconds(200),
                  [&module] { return module.amplification.spread(); }),
        sweeps(module.platform.home, "amplification sweep", std::chrono::hours(1),
               [&module] { return module.amplification.sweep(store::now()); }) {
    module.bus.route("AMPLIFY_", module.amplification);
    module.hosting.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.amplification.forget(user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, follows));
  }
  Services services() { return {}; }
  web::Task<> start() {
    spreading.start();
    sweeps.start();
    co_return;
  }
  web::Task<> stop() {
    co_await spreading.stop();
    co_await sweeps.stop();
  }

  agentbox::Periodic spreading, sweeps;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts, Services>({.tables = {store::describe(follows), store::describe(posts)}});
}

}  // namespace amplification
