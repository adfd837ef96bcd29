#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/plan_requests/records.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/site.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace billing::plan_requests {

struct Decision {
  State state = State::approved;  // or denied
  std::string reason;
};

// Mails administrators that users wait for a plan, at most once an hour, if the box has a mail server. Callable from
// every thread; what it is given must outlive it.
class AdminNotice {
 public:
  AdminNotice(const accounts::Accounts& known, mail::Outbox& outbox, const agentbox::Site& site,
              boost::asio::thread_pool& blocking)
      : accounts_(known), outbox_(outbox), site_(site), blocking_(blocking) {}

  // A request was stored; `waiting` is how many are pending.
  web::Task<> requested(PlanRequest, std::size_t waiting);

 private:
  bool is_due();

  const accounts::Accounts& accounts_;
  mail::Outbox& outbox_;
  const agentbox::Site& site_;
  boost::asio::thread_pool& blocking_;
  std::mutex mutex_;  // protects the rest
  std::optional<std::chrono::steady_clock::time_point> last_;
};

// Callable from every thread; the subscriptions and the notice must outlive it.
class PlanRequests {
 public:
  PlanRequests(store::System system, const Subscriptions& held, AdminNotice& notice)
      : system_(std::move(system)), subscriptions_(held), notice_(notice) {}

  // Administrators are notified. conflict: the user has this plan.
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
  AdminNotice& notice_;
};

}  // namespace billing::plan_requests
