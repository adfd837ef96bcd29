#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/payments/module.h"
#include "appliance/payments/plan_limits/plan_limits.h"
#include "appliance/payments/plan_limits/records.h"

namespace payments::plan_limits {

namespace {

using namespace std::chrono_literals;

struct Services {};

struct Parts {
  explicit Parts(Module& module)
      : limits(module.platform.system, module.billing.subscriptions, module.identity.accounts,
               module.hosting.agents.lifecycle),
        enforcement(module.platform.home, "plan limits", 500ms, [this] { return limits.enforce(); }) {
    module.hosting.agents.lifecycle.check_room_with(
        [this](store::UserId user, std::string_view agent) { return limits.has_room(user, agent); });
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return limits.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, plan_stops));
  }
  Services services() { return {}; }
  web::Task<> start() {
    enforcement.start();
    co_return;
  }
  web::Task<> stop() { return enforcement.stop(); }

  PlanLimits limits;
  agentbox::Periodic enforcement;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.tables = {store::describe(plan_stops)}}); }

}  // namespace payments::plan_limits
