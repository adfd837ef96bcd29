#include "appliance/payments/acceptance/sale.h"

namespace gateway {

web::Error refused(std::string problem, std::string message, std::string reason) {
  web::Error error{.kind = web::Kind::payment_required, .message = std::move(message), .code = "PAYMENT_REFUSED"};
  error.extra["problem"] = problem;
  if (!reason.empty()) error.extra["reason"] = reason;
  return error;
}

web::Error undelivered(web::Error error, bool is_credited) {
  error.extra["charged"] = is_credited;
  error.extra["credited"] = is_credited;
  error.message += is_credited ? " Your payment is kept: send the same request with the same credential again."
                               : " You were not charged.";
  return error;
}

web::Error unsettled(std::string detail) {
  web::Error error = web::unavailable(
      "Your payment is not settled yet. Send the same request with the same credential again: it is charged once.",
      std::move(detail));
  error.code = "SETTLEMENT_PENDING";
  return error;
}

}  // namespace gateway
