#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/bus_keys/routes.h"
#include "appliance/network/module.h"

namespace bus_keys {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : keys(module.bus_keys), audit(module.identity.audit), system(module.platform.system) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return keys.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
    module.identity.identities.when_claimed(
        {.claim = [this](store::UserId user, store::Change& change) { forget_all(user, change); }, .claimed = {}});
  }
  Services services() { return {keys, audit, system}; }
  // The account's previous holder could otherwise still sign messages as its agents.
  void forget_all(store::UserId user, store::Change& change) const {
    const auto tenant = system.tenant(user);
    for (const auto& key : tenant.list(table, {.limit = std::size_t(-1), .after = {}}))
      if (const auto row = tenant.get(table, key.id)) change.erase(table, *row);
  }

  BusKeys& keys;
  audit::Audit& audit;
  store::System system;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace bus_keys
