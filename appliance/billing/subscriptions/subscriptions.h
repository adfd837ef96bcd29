// The users' plans. The administrator activates them, or the payment provider does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "store/store.h"
#include "store/versioned_cache.h"
#include "web/result.h"
#include "web/task.h"

namespace billing {

// One row per user: a new deployment replaces the previous one.
struct Subscription {
  std::int64_t user_id = 0;
  std::string id = "subscription";  // record id within the owner; there is one
  // sub_ and 24 random characters, or the payment provider's; unique; sent as x-billing-subscription-id
  std::string subscription_id;
  Plan plan = Plan::label;
  std::string status;  // active, cancelled
  store::Time activated_at{};
};
BOOST_DESCRIBE_STRUCT(Subscription, (), (user_id, id, subscription_id, plan, status, activated_at))

inline const store::Owned<Subscription> subscriptions{
    {.family = "subscriptions", .number = 4},
    &Subscription::user_id,
    &Subscription::id,
    {store::unique<Subscription>(1, "subscription_id", &Subscription::subscription_id)}};

// From when on a user had a plan: until the next of the user's rows. One for each change of a subscription.
struct PlanPeriod {
  std::int64_t user_id = 0;
  std::string id;    // of its start: agentbox::ordered_id
  std::string plan;  // empty: none
  store::Time since{};
  bool is_enforced = false;  // the user's agents have been compared with the plan's limits
};
BOOST_DESCRIBE_STRUCT(PlanPeriod, (), (user_id, id, plan, since, is_enforced))

inline std::optional<std::string> awaited_enforcement(const PlanPeriod& period) {
  return period.is_enforced ? std::nullopt : store::index_value(period.user_id);
}

inline const store::Owned<PlanPeriod> plan_periods{{.family = "plan_periods", .number = 118},
                                                   &PlanPeriod::user_id,
                                                   &PlanPeriod::id,
                                                   {{1, "not_enforced", false, false, awaited_enforcement}}};

// Callable from every thread; must not outlive the store.
class Subscriptions {
 public:
  explicit Subscriptions(store::System system) : system_(std::move(system)) {}
  std::optional<Subscription> active(store::UserId) const;
  // By Subscription::subscription_id; cancelled ones as well.
  std::optional<Subscription> named(const std::string& subscription_id) const;
  // Replaces the user's subscription; it gets a new subscription_id. not_found: no such user.
  web::Task<web::Result<Subscription>> deploy(store::UserId, Plan);
  // Adds an active subscription to the change that creates the newcomer.
  static void add(store::UserId newcomer, Plan, store::Change&);
  // Succeeds without a subscription, too.
  web::Task<> cancel(store::UserId);

  static std::string new_id();
  // For changes that contain more. Adds: the user's subscription is this one, in place of any other.
  void put(store::Change&, store::UserId, Plan, std::string subscription_id) const;
  // Adds: the user's subscription ends, if it is this one.
  void end(store::Change&, store::UserId, std::string_view subscription_id) const;

  // Oldest first. Empty for a plan from before periods were recorded.
  std::vector<PlanPeriod> periods(store::UserId) const;

 private:
  void cancel(store::Change&, store::Row<Subscription>) const;

  store::System system_;
  mutable store::VersionedCache<std::optional<Subscription>, store::UserId> cache_;
};

}  // namespace billing
