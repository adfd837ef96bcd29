#include "appliance/billing/plan_requests/plan_requests.h"

#include "appliance/foundation/email.h"
#include "store/transact.h"

namespace billing::plan_requests {

namespace {

const std::string record_id = PlanRequest{}.id;

constexpr std::chrono::hours notice_interval{1};
constexpr std::size_t max_notified = 20;  // administrators

// Without the user's note, so that it is read in the console alone.
std::string letter_text(const std::string& email, const PlanRequest& request, std::size_t waiting,
                        const agentbox::Site& site) {
  return email + " has requested the plan " + std::string(to_string(request.plan)) + " at " + site.origin() +
         ".\n\nRequests that wait for a decision: " + std::to_string(waiting) + ". Approve or deny them at\n\n  " +
         site.page_url("/admin/requests") + "\n\nFurther requests within an hour are not mailed.\n";
}

}  // namespace

bool AdminNotice::is_due() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (last_ && now - *last_ < notice_interval) return false;
  last_ = now;
  return true;
}

web::Task<> AdminNotice::requested(PlanRequest request, std::size_t waiting) {
  const auto user = accounts_.find(request.user_id);
  if (!user || !outbox_.is_sending() || !is_due()) co_return;
  const auto everybody = co_await web::offload(blocking_, [this] { return accounts_.list(0, std::size_t(-1)); });
  std::size_t notified = 0;
  for (const auto& admin : everybody) {
    if (admin.is_disabled || !accounts_.is_admin(admin) || agentbox::is_reserved_email(admin.email)) continue;
    if (++notified > max_notified) break;
    mail::Letter letter{.to = admin.email,
                        .subject = "A user has requested a plan",
                        .body = letter_text(user->email, request, waiting, site_)};
    co_await outbox_.post(std::move(letter));
  }
}

web::Task<web::Result<PlanRequest>> PlanRequests::request(store::UserId user, Plan plan, std::string note) {
  const auto held = subscriptions_.active(user);
  if (held && held->plan == plan) co_return web::conflict("You have this plan already");
  const PlanRequest requested{
      .user_id = user, .plan = plan, .note = std::move(note), .requested_at = store::now(), .reason = {}};
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) {
    store::put(change, tenant, plan_requests, requested);
    return true;
  };
  co_await store::transact(tenant, step);
  co_await notice_.requested(requested, pending().size());
  co_return requested;
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
  const auto step = [&](store::Change& change) -> web::Result<PlanRequest> {
    auto row = system_.get(plan_requests, user, record_id);
    if (!row || row->value.state != State::pending) return web::not_found("No such pending request");
    auto& request = row->value;
    request.state = decision.state;
    request.reason = decision.reason;
    request.decided_at = store::now();
    change.update(plan_requests, *row);
    if (decision.state == State::approved) subscriptions_.put(change, user, request.plan, Subscriptions::new_id());
    return std::move(request);
  };
  co_return co_await store::transact(system_, step);
}

}  // namespace billing::plan_requests
