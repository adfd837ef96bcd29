#include "appliance/hosting/module.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/schedule/routes.h"
#include "appliance/identity/personal_data/rows.h"

namespace schedule {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : schedule(module.schedule) {
    module.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.schedule.tasks.forget(user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, tasks, runs));
  }
  Services services() { return {schedule}; }
  web::Task<> start() { return schedule.scheduler.start(); }
  // Its end is in Module::stop_streams, before the listeners drain.

  Schedule& schedule;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(tasks), store::describe(runs)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace schedule
