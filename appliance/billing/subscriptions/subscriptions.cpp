#include "appliance/billing/subscriptions/subscriptions.h"

#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/accounts/records.h"

namespace billing {

namespace {

const std::string record_id = Subscription{}.id;

Subscription new_subscription(store::UserId user, Plan plan) {
  return {.user_id = user,
          .subscription_id = "sub_" + crypto::random_id(24),
          .plan = plan,
          .status = "active",
          .activated_at = store::now()};
}

}  // namespace

std::optional<Subscription> Subscriptions::active(store::UserId user) const {
  const auto tenant = system_.tenant(user);
  const auto cached = cache_.get(user, tenant.version(subscriptions), [&tenant] {
    const auto row = tenant.get(subscriptions, record_id);
    const bool is_active = row && row->value.status == "active";
    return std::make_optional(is_active ? std::optional(row->value) : std::nullopt);
  });
  return *cached;
}

std::optional<Subscription> Subscriptions::named(const std::string& subscription_id) const {
  auto row = system_.find_unique(subscriptions, "subscription_id", subscription_id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<web::Result<Subscription>> Subscriptions::deploy(store::UserId user, Plan plan) {
  for (;;) {
    const auto owner = system_.get(accounts::users, user);
    if (!owner) co_return web::not_found("No such user");
    const auto deployed = new_subscription(user, plan);
    auto change = system_.change();
    change.require(accounts::users, *owner);
    if (auto row = system_.get(subscriptions, user, record_id)) {
      row->value = deployed;
      change.update(subscriptions, *row);
    } else {
      change.insert(subscriptions, deployed);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return deployed;
  }
}

void Subscriptions::add(store::UserId newcomer, Plan plan, store::Change& change) {
  change.insert(subscriptions, new_subscription(newcomer, plan));
}

web::Task<> Subscriptions::cancel(store::UserId user) {
  auto apply = [](Subscription& subscription) { subscription.status = "cancelled"; };
  co_await system_.modify(subscriptions, user, record_id, apply);
}

}  // namespace billing
