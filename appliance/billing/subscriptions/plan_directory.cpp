#include "appliance/billing/subscriptions/plan_directory.h"

#include "appliance/billing/subscriptions/plan_choice.h"

namespace billing {

namespace {

constexpr std::string_view none = "none";

}  // namespace

std::optional<accounts::HeldPlan> PlanDirectory::held(store::UserId user) const {
  auto active = subscriptions_.active(user);
  if (!active) return std::nullopt;
  return accounts::HeldPlan{.plan = std::string(to_string(active->plan)),
                            .subscription_id = std::move(active->subscription_id)};
}

web::Result<void> PlanDirectory::check(const std::string& plan) const {
  if (plan == none) return {};
  const auto chosen = plan_of_request(plan, "plan", none);
  if (!chosen) return chosen.error();
  return {};
}

web::Task<web::Result<void>> PlanDirectory::assign(store::UserId user, std::string plan) {
  if (plan == none) {
    co_await subscriptions_.cancel(user);
    co_return web::Result<void>();
  }
  const auto chosen = plan_of_request(plan, "plan", none);
  if (!chosen) co_return chosen.error();
  const auto deployed = co_await subscriptions_.deploy(user, *chosen);
  if (!deployed) co_return deployed.error();
  co_return web::Result<void>();
}

void PlanDirectory::give(store::UserId newcomer, const std::string& plan, store::Change& change) const {
  if (plan == none) return;
  Subscriptions::add(newcomer, plan_of_request(plan, "plan", none).value(), change);
}

}  // namespace billing
