// The users' plans. The administrator activates them on a box without a payment provider.
#pragma once

#include <optional>
#include <string>

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
  std::string subscription_id;      // sub_ and 24 random characters; unique; sent as x-billing-subscription-id
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

 private:
  store::System system_;
  mutable store::VersionedCache<std::optional<Subscription>, store::UserId> cache_;
};

}  // namespace billing
