// Looks payments up on their chain.
#pragma once

#include <optional>
#include <string>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/hosting/cloning/payment_proof.h"

namespace cloning {

// Callable from every thread.
class PaymentLookup {
 public:
  // Without an `rpc_url` nothing can be looked up; otherwise `receiver` and `token` must be addresses.
  PaymentLookup(std::string rpc_url, const std::string& receiver, const std::string& token);

  const std::string& receiver() const { return receiver_; }  // lower case; empty: no lookup
  // The transaction must have moved at least the amount from the payer to the receiver. payment_required with the
  // reason; unavailable if the chain cannot be reached.
  web::Task<web::Result<void>> confirm(const Payment&);

 private:
  chain::Rpc rpc_;
  std::string receiver_;
  std::optional<crypto::EthereumAddress> token_;  // where payments are looked up
};

}  // namespace cloning
