#pragma once

#include "appliance/billing/credits/credits.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/accounts/plan_directory.h"

namespace billing {

// Users' plans and credits, for the accounts and administration routes of identity. Must not outlive the store.
class PlanDirectory final : public accounts::PlanDirectory {
 public:
  explicit PlanDirectory(const store::System& system) : subscriptions_(system), credits_(system) {}

  std::optional<accounts::HeldPlan> held(store::UserId) const override;
  web::Result<void> check(const std::string& plan) const override;
  web::Task<web::Result<void>> assign(store::UserId, std::string plan) override;
  void give(store::UserId newcomer, const std::string& plan, store::Change&) const override;
  std::int64_t credits(store::UserId user) const override { return credits_.balance(user).whole_credits(); }

 private:
  Subscriptions subscriptions_;
  credits::Credits credits_;
};

}  // namespace billing
