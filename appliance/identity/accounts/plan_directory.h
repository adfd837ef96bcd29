// What accounts show of billing. Billing depends on accounts, so it implements this interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace accounts {

struct HeldPlan {
  std::string plan, subscription_id;
};

// Implemented by billing. Callable from every thread.
class PlanDirectory {
 public:
  virtual ~PlanDirectory() = default;
  // Nothing if the user has no active subscription.
  virtual std::optional<HeldPlan> held(store::UserId) const = 0;
  // Whether `plan` names a plan, or is "none". The error names the field `plan`.
  virtual web::Result<void> check(const std::string& plan) const = 0;
  // Gives the user this plan in place of any other, or cancels it for "none". Errors: those of check, and
  // Kind::not_found when there is no such user.
  virtual web::Task<web::Result<void>> assign(store::UserId, std::string plan) = 0;
  // Adds the plan to the change that creates the newcomer. Throws std::logic_error unless check() accepts it.
  virtual void give(store::UserId newcomer, const std::string& plan, store::Change&) const = 0;
  // Whole credits that the user can spend.
  virtual std::int64_t credits(store::UserId) const = 0;
};

}  // namespace accounts
