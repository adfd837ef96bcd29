// Charges a signed-in user's balance on the box's own ledger: first the money moves, and it moves back if the sale
// cannot be delivered.
#pragma once

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/payments/gateway/sale.h"
#include "appliance/payments/ledger/ledger.h"
#include "store/store.h"

namespace gateway {

// Callable from every thread; the arguments must outlive it.
class BalanceCharge {
 public:
  BalanceCharge(store::System system, ledger::Ledger& ledger, spent_credentials::SpentCredentials& spent)
      : system_(std::move(system)), ledger_(ledger), spent_(spent) {}

  payments::Usdc balance_of(store::UserId user) const { return ledger_.balance(ledger::of_user(user)); }
  // Errors: payment_required with INSUFFICIENT_BALANCE, and undelivered().
  web::Task<web::Result<Sold>> charge(store::UserId, const Sale&);
  // Gives back what was charged for sales that a crash cut off. Before anything is served.
  web::Task<> refund_interrupted();

 private:
  web::Task<> refund(spent_credentials::Row);

  store::System system_;
  ledger::Ledger& ledger_;
  spent_credentials::SpentCredentials& spent_;
};

}  // namespace gateway
