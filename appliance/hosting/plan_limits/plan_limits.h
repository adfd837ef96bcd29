// Keeps running agents within their owners' plans. After a plan has changed or ended, the agents beyond its limit are
// stopped, the newest first, with the reason; nothing is deleted. They start again once there is room.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "appliance/identity/accounts/accounts.h"
#include "store/store.h"
#include "store/table.h"
#include "web/result.h"
#include "web/task.h"

namespace plan_limits {

// An agent that was stopped because its owner's plan has no room for it.
struct PlanStop {
  std::int64_t user_id = 0;
  std::string id;  // the agent's
  store::Time at{};
};
BOOST_DESCRIBE_STRUCT(PlanStop, (), (user_id, id, at))

inline const store::Owned<PlanStop> plan_stops{
    {.family = "plan_stops", .number = 124}, &PlanStop::user_id, &PlanStop::id, {}};

// What users' plans let them run. Callable from every thread; the arguments must outlive it.
class PlanRoom {
 public:
  PlanRoom(store::System, const billing::Subscriptions&, const accounts::Accounts&);

  // Whether an agent may start that was stopped for the plan, or did not run when the plan became too small for all of
  // them: too_many with current and limit while others fill the plan. Other agents always may.
  web::Result<void> has_room(store::UserId, std::string_view agent) const;

  // What a user may run; not set: any number.
  struct Allowance {
    int agents = 0;
    std::string plan;  // empty: none
  };
  std::optional<Allowance> allowance_of(store::UserId) const;
  // The ids of the user's agents that run or should, the oldest first.
  std::vector<std::string> running_of(store::UserId) const;

 private:
  store::System system_;
  const billing::Subscriptions& subscriptions_;
  const accounts::Accounts& accounts_;
};

// Callable from every thread; the arguments must outlive it.
class PlanLimits {
 public:
  PlanLimits(store::System, const PlanRoom&, agents::AgentLifecycle&);

  // Compares the agents of every user whose plan has changed since with its limit. A change is found again after a
  // crash until it is enforced.
  web::Task<> enforce();
  // The agent is gone.
  web::Task<> forget(store::UserId, std::string agent) const;

 private:
  web::Task<> enforce(store::UserId);
  web::Task<> note_stopped(store::UserId, std::size_t most);
  web::Task<> stop(store::UserId, std::string agent, std::string reason);

  store::System system_;
  const PlanRoom& room_;
  agents::AgentLifecycle& lifecycle_;
};

}  // namespace plan_limits
