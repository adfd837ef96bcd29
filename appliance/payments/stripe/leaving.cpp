#include "appliance/payments/stripe/leaving.h"

#include <algorithm>

#include "appliance/payments/stripe/records.h"

namespace payments::stripe {

namespace {

bool is_over(const StripeSubscription& subscription) {
  return subscription.status == "canceled" || subscription.status == "incomplete_expired";
}

}  // namespace

std::optional<web::Error> obstacle_to_leaving(const store::System& system, store::UserId user) {
  const auto known = system.find(stripe_subscriptions, "user", user);
  if (std::ranges::all_of(known, is_over)) return std::nullopt;
  auto obstacle = web::conflict("A subscription is still being paid at Stripe: cancel it first");
  obstacle.code = "SUBSCRIPTION_ACTIVE";
  return obstacle;
}

}  // namespace payments::stripe
