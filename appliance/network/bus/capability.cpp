#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/bus/routes.h"
#include "appliance/network/module.h"

namespace bus {

namespace {

struct Parts {
  explicit Parts(network::Module& given_module)
      : module(given_module), sweeps(module.platform.home, "bus sweep", std::chrono::hours(1), [this] {
          return module.mailbox.sweep(store::now());
        }) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return module.mailbox.forget(user, std::move(agent)); });
    module.when_listeners_close([this] { return module.courier.stop(); });
    module.identity.personal_data.add(
        personal_data::rows_of(module.platform.system, messages, deliveries, sent, dead_letters));
  }
  Services services() { return {module.bus, module.mailbox, module.bus_keys, module.platform.system}; }
  web::Task<> start() {
    module.courier.start();
    sweeps.start();
    co_return;
  }
  web::Task<> stop() { return sweeps.stop(); }

  network::Module& module;
  agentbox::Periodic sweeps;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(messages), store::describe(deliveries),
                                                    store::describe(sent), store::describe(dead_letters)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace bus
