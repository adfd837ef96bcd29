#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/module.h"
#include "appliance/network/skills/records.h"
#include "appliance/network/skills/routes.h"

namespace skills {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        catalogue(module.platform.folder.path() / folder_name),
        installer(module.platform.system, catalogue, module.billing.subscriptions, module.platform.folder.agents(),
                  module.platform.blocking),
        runs(module.platform.system, catalogue, installer, module.hosting.chat, module.billing.spend_policy,
             module.billing.ledger, module.platform.home),
        bookings(module.platform.system, module.negotiation, module.payments.ledger),
        splits(module.payments.splits, module.payments.wallets, module.hosting.agents.directory),
        sales(module.platform.system, catalogue, installer, module.hosting.agents.directory, runs) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return installer.forget(user, std::move(agent)); });
    module.hosting.agents.when_removed(
        [this](store::UserId, std::string agent) { return sales.forget(std::move(agent)); });
    module.payments.prepare_skill = [this](std::string skill, boost::json::object inputs) {
      return sales.prepare(std::move(skill), std::move(inputs));
    };
    module.when_listeners_close([this] { return runs.stop(); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, installations, skills::runs));
  }
  Services services() {
    return {catalogue,
            installer,
            runs,
            bookings,
            splits,
            sales,
            network.billing.subscriptions,
            network.identity.audit,
            network.platform.uploads};
  }
  web::Task<> start() {
    co_await installer.recover();
    co_await runs.recover();
  }

  network::Module& network;
  Catalogue catalogue;
  Installer installer;
  Runs runs;
  BookingSettlement bookings;
  InstantSplit splits;
  Sales sales;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(installations), store::describe(runs), store::describe(skills_on_sale)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace skills
