// Caps limit the tokens or the money that model calls may use in a day or a month: those of a user, an agent, a key, of
// each user of a plan, or of each agent of such users. Caps of users and caps of the administrator apply side by side.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/billing/usage/period.h"
#include "appliance/billing/usage/tally.h"
#include "store/store.h"
#include "store/versioned_cache.h"
#include "web/result.h"
#include "web/task.h"

namespace billing {

// `agents`: each agent of each user of a plan. Plans have such a cap for a day by default.
BOOST_DEFINE_ENUM_CLASS(CapScope, plan, user, agent, key, agents)
BOOST_DEFINE_ENUM_CLASS(CapPeriod, day, month)
// What happens to a call that exceeds the cap: it is refused; or it goes to the cheapest allowed model, if that fits;
// or to the box's local model, which the cap does not limit.
BOOST_DEFINE_ENUM_CLASS(WhenReached, refuse, cheaper, local)

struct Cap {
  std::int64_t user_id = 0;  // 0: a cap on a plan
  std::string id;            // see cap_id
  CapScope scope = CapScope::user;
  std::string target;  // the plan's name (scopes plan and agents), the agent's id or the key's id; empty for a user
  CapPeriod period = CapPeriod::month;
  // cost: Money::units. Neither: no limit, in place of the plan's default.
  std::optional<std::int64_t> tokens, cost;
  WhenReached when_reached = WhenReached::refuse;
  bool by_admin = false;
  store::Time updated_at{};
  // Not stored. A cap of scope `agents` as it applies to one agent has the scope `agent` and that agent as its target.
  std::string plan{};       // of such a cap
  bool is_default = false;  // agent_day_cents, which nobody has set
};
BOOST_DESCRIBE_STRUCT(Cap, (), (user_id, id, scope, target, period, tokens, cost, when_reached, by_admin, updated_at))

inline const store::Owned<Cap> caps{{.family = "caps", .number = 60}, &Cap::user_id, &Cap::id, {}};

// The maximum a user may set, and that the administrator may set for each user or for all plans together.
inline constexpr std::int64_t max_caps = 200;

// own-agent-<id>-day, admin-user--month, ...; unique for each owner. plan-agents-<plan>-day: a default.
std::string cap_id(const Cap&);
// The default cap on each agent of a plan.
Cap default_agent_cap(Plan);
// A cap of scope `agents` as it applies to this agent.
Cap applied_to(Cap, std::string_view agent);

// Callable from every thread; must not outlive the store.
class Caps {
 public:
  explicit Caps(store::System system) : system_(std::move(system)) {}

  // In the order of their ids.
  std::vector<Cap> list(store::UserId) const;
  std::optional<Cap> find(store::UserId, std::string_view id) const;
  // Replaces the cap of the same scope, target and period. too_many: `max_caps` caps exist already.
  web::Task<web::Result<Cap>> put(Cap);
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // Removes the caps on a deleted agent or key.
  web::Task<> forget(store::UserId, std::string target);

  // Those on each agent of the plan's users, the default if there is no other for a day.
  std::vector<Cap> on_agents(Plan) const;
  // The caps that apply to a call of this user, agent and key.
  std::vector<Cap> applying_to(const usage::Call&, Plan) const;

 private:
  using Cache = store::VersionedCache<std::vector<Cap>, store::UserId>;
  using CachedCaps = Cache::Value;
  // As list(), from memory: every model call needs them.
  CachedCaps cached(store::UserId) const;

  store::System system_;
  mutable Cache cache_;
};

// The limits that a cap sets for calls made at `at`. Their name is the cap's id.
std::vector<usage::Limit> limits_of(const Cap&, store::Time at);

}  // namespace billing
