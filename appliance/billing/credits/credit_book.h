#pragma once

#include "appliance/billing/credits/credits.h"
#include "appliance/identity/accounts/credit_book.h"

namespace credits {

// Users' credits, for the accounts of identity.
class CreditBook final : public accounts::CreditBook {
 public:
  explicit CreditBook(const Credits& credits) : credits_(credits) {}

  std::int64_t balance(store::UserId) const override;
  void add_referral(store::Change&, const accounts::User& user, const accounts::User& referrer) const override;

 private:
  const Credits& credits_;
};

}  // namespace credits
