// Who has which plan. Activated by the admin on a box without a payment provider.
#pragma once

#include <optional>
#include <string>

#include "appliance/billing/subscriptions/plans.h"
#include "store/store.h"
#include "store/versioned_cache.h"
#include "web/result.h"
#include "web/task.h"

namespace billing {

// One row a user: the newest deployment replaces the one before.
struct Subscription {
  std::int64_t user_id = 0;
  std::string id = "subscription";  // record id within the owner; there is one
  std::string subscription_id;      // what x-billing-subscription-id carries: sub_ and 24 random characters; unique
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

class Subscriptions {
 public:
  explicit Subscriptions(store::System system) : system_(std::move(system)) {}
  std::optional<Subscription> active(store::UserId) const;
  // By what x-billing-subscription-id carries; also when it is not active any more.
  std::optional<Subscription> named(const std::string& subscription_id) const;
  // Replaces the user's subscription, under a new id. Kind::not_found when there is no such user.
  web::Task<web::Result<Subscription>> deploy(store::UserId, Plan);
  // Cancelling none is success.
  web::Task<> cancel(store::UserId);

 private:
  store::System system_;
  mutable store::VersionedCache<std::optional<Subscription>, store::UserId> known_;
};

}  // namespace billing
