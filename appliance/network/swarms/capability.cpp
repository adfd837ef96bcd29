#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/module.h"
#include "appliance/network/swarms/records.h"
#include "appliance/network/swarms/routes.h"

namespace swarms {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : budget(module.billing.spend_policy, module.billing.ledger),
        conductor(module.platform.system, module.hosting.agents.directory, module.hosting.chat, budget,
                  module.platform.home),
        swarms(module.platform.system, module.hosting.agents.directory, budget, conductor) {
    module.when_listeners_close([this] { return conductor.end(); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, swarms::swarms, tasks, events));
  }
  Services services() { return {swarms, conductor.followers()}; }
  web::Task<> start() { return conductor.recover(); }

  Budget budget;
  Conductor conductor;
  Swarms swarms;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(swarms), store::describe(tasks), store::describe(events)}, .web = web_routes});
}

}  // namespace swarms
