// What payments by authorization (x402, and the method `evm` of MPP) use on this box: the chain's USDC, who receives
// it, and who sends the transfers.
#pragma once

#include <memory>
#include <optional>

#include "appliance/foundation/settings/settings.h"
#include "appliance/payments/acceptance/authorization_settlement.h"
#include "appliance/payments/acceptance/token.h"
#include "appliance/payments/acceptance/x402.h"
#include "appliance/payments/usdc.h"
#include "appliance/payments/wallets/networks.h"
#include "appliance/payments/wallets/wallets.h"

namespace x402 {

// Callable from every thread; the arguments must outlive it.
class Exact {
 public:
  Exact(const agentbox::Settings&, chains::Networks&, wallets::Wallets&, transactions::Sender&);

  // Before anything is paid.
  web::Task<> open();

  // Whether transfers can be settled at all, for anybody.
  bool can_settle() const { return token_ != nullptr; }
  // Whether the box itself is paid that way.
  bool is_offered() const { return can_settle() && receiver_.has_value(); }
  // Only if can_settle().
  eip3009::Token& token() { return *token_; }
  eip3009::Submitter& submitter() { return *submitter_; }
  const std::optional<crypto::EthereumAddress>& receiver() const { return receiver_; }
  // The requirements for paying the box. Only if is_offered(). Unavailable, if the chain cannot tell the token's
  // domain.
  web::Task<web::Result<Requirements>> requirements(payments::Usdc price);

 private:
  std::optional<crypto::EthereumAddress> receiver_;
  std::unique_ptr<eip3009::Token> token_;  // null: no chain, or no known USDC on it
  eip3009::BoxSubmitter own_submitter_;
  std::unique_ptr<eip3009::Submitter> facilitator_;  // null: not configured
  eip3009::Submitter* submitter_;
};

}  // namespace x402
