// What the gateway sells for one payment.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <string>

#include "appliance/payments/usdc.h"
#include "web/result.h"
#include "web/task.h"

namespace gateway {

using Deliver = std::function<web::Task<web::Result<boost::json::value>>()>;

struct Sale {
  std::string plugin, action;
  std::string description;  // for the payer: "A summary of a web page"
  payments::Usdc price;
  std::string url;     // of the resource that is paid for
  std::string digest;  // of the request's body
  Deliver deliver;     // may be called again after a failure

  std::string purpose() const { return "gateway " + plugin; }
};

// A sale that was delivered and paid.
struct SaleReceipt {
  boost::json::value result;
  std::string way;          // x402, mpp, balance, credits
  std::string method;       // of MPP: evm, tempo
  std::string network;      // CAIP-2, or that of the source
  std::string transaction;  // hash on that network, or reference in the source
  std::string payer;
};

// Why a payment does not count: 402 with the type of problem that MPP names so, and x402's code, if there is one.
web::Error refused(std::string problem, std::string message, std::string reason = {});
// The result could not be delivered: the error of `deliver`, which then says whether the payer was charged.
web::Error undelivered(web::Error, bool is_credited);
// The money may be on its way.
web::Error unsettled(std::string detail);

inline constexpr auto payment_required = "payment-required", verification_failed = "verification-failed",
                      invalid_challenge = "invalid-challenge", payment_expired = "payment-expired",
                      malformed_credential = "malformed-credential", payment_insufficient = "payment-insufficient";

}  // namespace gateway
