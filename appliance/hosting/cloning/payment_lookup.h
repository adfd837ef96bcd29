// Whether a payment is on its chain.
#pragma once

#include <optional>
#include <string>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/hosting/cloning/payment_proof.h"

namespace cloning {

// Callable from every thread.
class PaymentLookup {
 public:
  // Without a configured `rpc` every payment counts by its shape. `receiver` and `token` are addresses then.
  PaymentLookup(std::string rpc_url, const std::string& receiver, const std::string& token);

  const std::string& receiver() const { return receiver_; }  // lower case; empty: not looked up
  // Its transaction moved at least the amount from the payer to the receiver. payment_required with what is wrong with
  // it; unavailable when the chain cannot be asked.
  web::Task<web::Result<void>> confirm(const Payment&);

 private:
  chain::Rpc rpc_;
  std::string receiver_, token_;
};

}  // namespace cloning
