#include <cstdint>
#include <vector>

#include "appliance/billing/module.h"
#include "appliance/billing/usage/name_collector.h"
#include "appliance/billing/usage/records.h"
#include "appliance/billing/usage/routes.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"

namespace usage {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(billing::Module& module)
      : billing(module),
        names(module.platform.system, module.platform.blocking),
        collection(module.platform.home, "usage names", 24h,
                   [this]() -> web::Task<> { co_await names.run(store::now()); }) {
    // The tallies stay: they are sums under a number that nobody has any more.
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, calls, usage::names));
  }

  Services services() {
    return {.ledger = billing.ledger,
            .is_user = [this](store::UserId user) { return billing.identity.accounts.find(user).has_value(); },
            .users = [this] { return users(); },
            .blocking = billing.platform.blocking};
  }
  std::vector<store::UserId> users() const {
    std::vector<store::UserId> ids;
    for (const auto& user : billing.identity.accounts.list(0, SIZE_MAX)) ids.push_back(user.id);
    return ids;
  }
  web::Task<> start() {
    collection.start();
    co_return;
  }
  web::Task<> stop() { return collection.stop(); }

  billing::Module& billing;
  NameCollector names;
  agentbox::Periodic collection;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>(
      {.tables = {store::describe(calls), store::describe(reservations), store::describe(names)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace usage
