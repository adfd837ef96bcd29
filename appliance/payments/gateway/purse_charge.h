// Charges a user who has signed in from an account on this box: first the money is set aside, and it is given back if
// the sale cannot be delivered.
#pragma once

#include <string_view>
#include <vector>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/payments/gateway/purse.h"
#include "appliance/payments/gateway/sale.h"
#include "store/store.h"

namespace gateway {

// Callable from every thread; the arguments must outlive it.
class PurseCharge {
 public:
  PurseCharge(store::System system, spent_credentials::SpentCredentials& spent, std::vector<const Purse*> purses)
      : system_(std::move(system)), spent_(spent), purses_(std::move(purses)) {}

  const std::vector<const Purse*>& purses() const { return purses_; }
  // `way`: of one of the purses. Errors: payment_required with INSUFFICIENT_BALANCE, and undelivered().
  web::Task<web::Result<Sold>> charge(std::string_view way, store::UserId, const Sale&);
  // Gives back what was set aside for sales that a crash cut off.
  web::Task<> refund_interrupted();

 private:
  using Row = spent_credentials::Row;

  const Purse* purse(std::string_view way) const;  // null: another way of payment
  web::Task<> keep(const Purse&, const PursePayment&, Row);
  web::Task<> give_back(const Purse&, const PursePayment&, const Row&);

  store::System system_;
  spent_credentials::SpentCredentials& spent_;
  const std::vector<const Purse*> purses_;
};

}  // namespace gateway
