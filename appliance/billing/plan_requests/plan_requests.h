#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/plan_requests/records.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace billing::plan_requests {

struct Decision {
  State state = State::approved;  // or denied
  std::string reason;
};

// Callable from every thread; the subscriptions must outlive it.
class PlanRequests {
 public:
  PlanRequests(store::System system, const Subscriptions& held) : system_(std::move(system)), subscriptions_(held) {}

  // conflict: the user has this plan.
  web::Task<web::Result<PlanRequest>> request(store::UserId, Plan, std::string note);
  std::optional<PlanRequest> find(store::UserId) const;
  // The plan that the user has.
  std::optional<Plan> plan_of(store::UserId) const;
  // Pending ones, by user.
  std::vector<PlanRequest> pending() const;
  // An approved plan is the user's in the same change. not_found: the user has no pending request.
  web::Task<web::Result<PlanRequest>> decide(store::UserId, Decision);

 private:
  store::System system_;
  const Subscriptions& subscriptions_;
};

}  // namespace billing::plan_requests
