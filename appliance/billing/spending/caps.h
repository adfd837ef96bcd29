// Caps: how much of tokens or money may be spent on models in a day or a month, by a user, an agent or a key. A cap on
// a plan holds for each user who has it. Users set their own; those of the administrator stand beside them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/billing/usage/period.h"
#include "appliance/billing/usage/tally.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace billing {

BOOST_DEFINE_ENUM_CLASS(CapScope, plan, user, agent, key)
BOOST_DEFINE_ENUM_CLASS(CapPeriod, day, month)
// What becomes of a call that a cap has no room for: it is refused; or the cheapest model that is allowed is asked,
// when there is room for that; or the box's local model, which the cap then does not bind.
BOOST_DEFINE_ENUM_CLASS(WhenReached, refuse, cheaper, local)

struct Cap {
  std::int64_t user_id = 0;  // 0: a cap on a plan
  std::string id;            // see cap_id
  CapScope scope = CapScope::user;
  std::string target;  // plan's name, agent's id, key's id; of a user: empty
  CapPeriod period = CapPeriod::month;
  std::optional<std::int64_t> tokens, cost;  // cost: Money::units
  WhenReached when_reached = WhenReached::refuse;
  bool by_admin = false;
  store::Time updated_at{};
};
BOOST_DESCRIBE_STRUCT(Cap, (), (user_id, id, scope, target, period, tokens, cost, when_reached, by_admin, updated_at))

inline const store::Owned<Cap> caps{{.family = "caps", .number = 60}, &Cap::user_id, &Cap::id, {}};

// How many a user may set, and as many again the administrator for each user.
inline constexpr std::int64_t most_caps = 200;

// own-agent-<id>-day, admin-user--month, ...: there is one cap for each.
std::string cap_id(const Cap&);

// Callable from every thread; must not outlive the store.
class Caps {
 public:
  explicit Caps(store::System system) : system_(std::move(system)) {}

  // In the order of their ids.
  std::vector<Cap> list(store::UserId) const;
  std::optional<Cap> find(store::UserId, std::string_view id) const;
  // Replaces the one of the same scope, target and period. too_many when whoever sets it has set `most_caps` of this
  // user's.
  web::Task<web::Result<Cap>> put(Cap);
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // Removes what was set on an agent or key that is gone.
  web::Task<> forget(store::UserId, std::string target);

  // Those that bind a call of this user, agent and key.
  std::vector<Cap> of(const usage::Call&, Plan) const;

 private:
  using List = std::shared_ptr<const std::vector<Cap>>;
  struct Remembered {
    std::uint64_t version = 0;
    List caps;
  };
  // As list(), but read only when something has changed: every model call asks.
  List current(store::UserId) const;

  store::System system_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<store::UserId, Remembered> remembered_;  // protected by mutex_
};

// The bounds of a cap on a call made at `at`; named after the cap's id.
std::vector<usage::Limit> limits_of(const Cap&, store::Time at);

}  // namespace billing
