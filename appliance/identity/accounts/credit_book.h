// What accounts know of credits. Billing depends on accounts, so it implements this interface.
#pragma once

#include <cstdint>

#include "appliance/identity/accounts/records.h"
#include "store/change.h"

namespace accounts {

// Implemented by billing. Callable from every thread.
class CreditBook {
 public:
  virtual ~CreditBook() = default;
  // Whole credits that the user can spend.
  virtual std::int64_t balance(store::UserId) const = 0;
  // Adds to the change that creates `user`: the credits of both users of the referral.
  virtual void add_referral(store::Change&, const User& user, const User& referrer) const = 0;
};

}  // namespace accounts
