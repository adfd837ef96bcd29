// Charges for a sale by an authorization (EIP-3009): it is verified, the sale is delivered, and only then is the
// transfer sent; from a price on the transfer comes first. Money that was promised to the box is promised once: a payer
// has one sale in progress, and the balance must cover what is not settled yet as well. A credential counts once
// whatever the race or crash; see billing/spent_credentials.
#pragma once

#include <string>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/payments/acceptance/authorization_settlement.h"
#include "appliance/payments/acceptance/sale.h"
#include "appliance/payments/acceptance/verification.h"

namespace gateway {

// Callable from every thread; the arguments must outlive it.
class AuthorizationCharge {
 public:
  // A sale of `settle_first` or more is settled before it is delivered.
  AuthorizationCharge(spent_credentials::SpentCredentials& spent, eip3009::Token& token, eip3009::Submitter& submitter,
                      payments::Usdc settle_first)
      : spent_(spent), token_(token), submitter_(submitter), settle_first_(settle_first) {}

  // `due` is what the sale costs. Errors: refused(), undelivered(), unsettled(), too_many with PAYMENT_IN_PROGRESS, and
  // unavailable without a chain.
  web::Task<web::Result<SaleReceipt>> charge(eip3009::Authorization, eip3009::PaymentTerms due, std::string way,
                                             const Sale&);

 private:
  using Row = spent_credentials::Row;

  web::Task<web::Result<SaleReceipt>> charge_new(std::string id, const eip3009::Authorization&,
                                                 eip3009::PaymentTerms due, std::string way, const Sale&);
  // Refused unless the payer's balance covers the price and all payments of theirs that are not settled yet.
  web::Task<web::Result<void>> check_balance(const eip3009::Authorization&, payments::Usdc price);
  // The payment of a credential that was presented before, and was not used up.
  web::Task<web::Result<SaleReceipt>> resume(Row, const eip3009::Authorization&, eip3009::PaymentTerms due,
                                             const Sale&);
  web::Task<web::Result<SaleReceipt>> deliver_then_settle(Row, const eip3009::Authorization&, const Sale&);
  web::Task<web::Result<SaleReceipt>> settle_then_deliver(Row, const eip3009::Authorization&, const Sale&);
  web::Task<web::Result<SaleReceipt>> deliver_paid(Row, const Sale&);
  // Sends the transfer. The row then has its transaction; it is gone if the transfer is refused.
  web::Task<web::Result<void>> settle(Row&, const eip3009::Authorization&);
  SaleReceipt sold(const Row&, boost::json::value result) const;

  spent_credentials::SpentCredentials& spent_;
  eip3009::Token& token_;
  eip3009::Submitter& submitter_;
  const payments::Usdc settle_first_;
};

}  // namespace gateway
