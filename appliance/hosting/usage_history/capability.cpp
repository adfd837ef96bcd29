#include "appliance/foundation/periodic.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/usage_history/routes.h"
#include "appliance/identity/personal_data/rows.h"

namespace usage_history {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        history(module.platform.system, module.agents.directory, *module.engine),
        rounds(module.platform.home, "usage_history", 5s, [this] { return history.look(); }) {
    module.agents.when_removed(
        [this](store::UserId user, std::string agent) { return history.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
  }
  Services services() { return {history, hosting.agents.directory}; }
  web::Task<> start() {
    rounds.start();
    co_return;
  }
  web::Task<> stop() { return rounds.stop(); }

  hosting::Module& hosting;
  UsageHistory history;
  agentbox::Periodic rounds;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(table)}, .web = web_routes});
}

}  // namespace usage_history
