// Charges for a sale by an authorization (EIP-3009): it is verified, the sale is delivered, and only then is the
// transfer sent. A credential counts once whatever the race or crash; see billing/spent_credentials.
#pragma once

#include <string>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/payments/eip3009/submitter.h"
#include "appliance/payments/eip3009/verification.h"
#include "appliance/payments/gateway/sale.h"

namespace gateway {

// Callable from every thread; the arguments must outlive it.
class AuthorizationCharge {
 public:
  AuthorizationCharge(spent_credentials::SpentCredentials& spent, eip3009::Token& token, eip3009::Submitter& submitter)
      : spent_(spent), token_(token), submitter_(submitter) {}

  // `due` is what the sale costs. Errors: refused(), undelivered(), unsettled(), and unavailable without a chain.
  web::Task<web::Result<Sold>> charge(eip3009::Authorization, eip3009::Due due, std::string way, const Sale&);

 private:
  using Row = spent_credentials::Row;

  // The payment of a credential that was presented before, and was not used up.
  web::Task<web::Result<Sold>> resume(Row, const eip3009::Authorization&, eip3009::Due due, const Sale&);
  web::Task<web::Result<Sold>> deliver_then_settle(Row, const eip3009::Authorization&, const Sale&);
  web::Task<web::Result<Sold>> deliver_paid(Row, const Sale&);
  // Sends the transfer. The row then has its transaction; it is gone if the transfer is refused.
  web::Task<web::Result<void>> settle(Row&, const eip3009::Authorization&);
  Sold sold(const Row&, boost::json::value result) const;

  spent_credentials::SpentCredentials& spent_;
  eip3009::Token& token_;
  eip3009::Submitter& submitter_;
};

}  // namespace gateway
