#pragma once

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/accounts/plan_directory.h"

namespace billing {

// Users' plans, for the accounts and administration routes of identity.
class PlanDirectory final : public accounts::PlanDirectory {
 public:
  explicit PlanDirectory(Subscriptions& stored) : subscriptions_(stored) {}

  std::optional<accounts::HeldPlan> held(store::UserId) const override;
  web::Result<void> check(const std::string& plan) const override;
  web::Task<web::Result<void>> assign(store::UserId, std::string plan) override;
  void give(store::UserId newcomer, const std::string& plan, store::Change&) const override;

 private:
  Subscriptions& subscriptions_;
};

}  // namespace billing
