#include "appliance/billing/subscriptions/subscriptions.h"

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/ordered_id.h"
#include "store/transact.h"

namespace billing {

namespace {

const std::string record_id = Subscription{}.id;

void begin_period(store::Change& change, store::UserId user, std::string_view plan) {
  const auto now = store::now();
  change.insert_new(
      plan_periods,
      PlanPeriod{.user_id = user, .id = agentbox::ordered_id(now), .plan = std::string(plan), .since = now});
}

Subscription active_subscription(store::UserId user, Plan plan, std::string subscription_id) {
  return {.user_id = user,
          .subscription_id = std::move(subscription_id),
          .plan = plan,
          .status = "active",
          .activated_at = store::now()};
}

void put_in(const store::System& system, store::Change& change, const Subscription& subscription) {
  store::put(change, system.tenant(subscription.user_id), subscriptions, subscription);
  begin_period(change, subscription.user_id, to_string(subscription.plan));
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
  const auto step = [&](store::Change& change) -> web::Result<Subscription> {
    const auto owner = system_.get(accounts::users, user);
    if (!owner) return web::not_found("No such user");
    change.require(accounts::users, *owner);
    auto deployed = active_subscription(user, plan, new_id());
    put_in(system_, change, deployed);
    return deployed;
  };
  co_return co_await store::transact(system_, step);
}

void Subscriptions::add(store::UserId newcomer, Plan plan, store::Change& change) {
  change.insert(subscriptions, active_subscription(newcomer, plan, new_id()));
  begin_period(change, newcomer, to_string(plan));
}

web::Task<> Subscriptions::cancel(store::UserId user) {
  const auto step = [&](store::Change& change) {
    auto row = system_.get(subscriptions, user, record_id);
    if (!row || row->value.status != "active") return false;
    cancel(change, std::move(*row));
    return true;
  };
  co_await store::transact(system_, step);
}

std::string Subscriptions::new_id() { return "sub_" + crypto::random_id(24); }

void Subscriptions::put(store::Change& change, store::UserId user, Plan plan, std::string subscription_id) const {
  put_in(system_, change, active_subscription(user, plan, std::move(subscription_id)));
}

void Subscriptions::end(store::Change& change, store::UserId user, std::string_view subscription_id) const {
  auto row = system_.get(subscriptions, user, record_id);
  if (row && row->value.status == "active" && row->value.subscription_id == subscription_id)
    cancel(change, std::move(*row));
}

std::vector<PlanPeriod> Subscriptions::periods(store::UserId user) const {
  return system_.tenant(user).list(plan_periods, {.limit = std::size_t(-1), .after = {}});
}

void Subscriptions::cancel(store::Change& change, store::Row<Subscription> row) const {
  row->status = "cancelled";
  change.update(subscriptions, row);
  begin_period(change, row->user_id, {});
}

}  // namespace billing
