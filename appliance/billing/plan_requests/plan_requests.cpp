#include "appliance/billing/plan_requests/plan_requests.h"

namespace billing::plan_requests {

namespace {

const std::string record_id = PlanRequest{}.id;

}  // namespace

web::Task<web::Result<PlanRequest>> PlanRequests::request(store::UserId user, Plan plan, std::string note) {
  const auto held = subscriptions_.active(user);
  if (held && held->plan == plan) co_return web::conflict("You have this plan already");
  const PlanRequest requested{
      .user_id = user, .plan = plan, .note = std::move(note), .requested_at = store::now(), .reason = {}};
  for (;;) {
    auto change = system_.change();
    if (auto row = system_.get(plan_requests, user, record_id)) {
      row->value = requested;
      change.update(plan_requests, *row);
    } else {
      change.insert(plan_requests, requested);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return requested;
  }
}

std::optional<PlanRequest> PlanRequests::find(store::UserId user) const {
  auto row = system_.get(plan_requests, user, record_id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::optional<Plan> PlanRequests::plan_of(store::UserId user) const {
  const auto held = subscriptions_.active(user);
  return held ? std::optional(held->plan) : std::nullopt;
}

std::vector<PlanRequest> PlanRequests::pending() const { return system_.find(plan_requests, "state", State::pending); }

web::Task<web::Result<PlanRequest>> PlanRequests::decide(store::UserId user, Decision decision) {
  for (;;) {
    auto row = system_.get(plan_requests, user, record_id);
    if (!row || row->value.state != State::pending) co_return web::not_found("No such pending request");
    auto& request = row->value;
    request.state = decision.state;
    request.reason = decision.reason;
    request.decided_at = store::now();
    auto change = system_.change();
    change.update(plan_requests, *row);
    if (decision.state == State::approved) subscriptions_.put(change, user, request.plan, Subscriptions::new_id());
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(request);
  }
}

}  // namespace billing::plan_requests
