// Charges for a sale by a transfer on Tempo (MPP): its hash, or the signed transaction for the box to send.
#pragma once

#include <string>

#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/foundation/chain/rpc.h"
#include "appliance/payments/acceptance/challenge.h"
#include "appliance/payments/acceptance/sale.h"
#include "appliance/payments/acceptance/tempo.h"

namespace gateway {

// Callable from every thread; the arguments must outlive it.
class TempoCharge {
 public:
  TempoCharge(spent_credentials::SpentCredentials& spent, chain::Rpc& rpc) : spent_(spent), rpc_(rpc) {}

  // `due`: the transfer that pays for the credential's challenge. Errors: refused(), undelivered(), unsettled(), and
  // unavailable without a chain.
  web::Task<web::Result<SaleReceipt>> charge(const mpp::Credential&, mpp::Transfer due, const Sale&);

 private:
  using Row = spent_credentials::Row;
  struct Payment {
    std::string hash;  // 0x and 64 hex digits, lower case
    std::string raw;   // the transaction to send; empty: the payer has sent it
  };

  static web::Result<Payment> read(const boost::json::object& payload, const mpp::Transfer& due);
  // Who paid. Waits for a transaction that the box sends.
  web::Task<web::Result<crypto::EthereumAddress>> confirm(const Payment&, const mpp::Transfer& due);
  web::Task<web::Result<std::optional<chain::Receipt>>> send(const Payment&);
  web::Task<web::Result<SaleReceipt>> deliver(Row, const Payment&, const Sale&);

  spent_credentials::SpentCredentials& spent_;
  chain::Rpc& rpc_;
};

}  // namespace gateway
