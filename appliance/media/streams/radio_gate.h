// Who may create a radio stream: holders of the gating token.
#pragma once

#include <optional>
#include <string>

#include "appliance/identity/token_gating/token_gating.h"
#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"
#include "web/result.h"
#include "web/task.h"

namespace streams {

struct StreamRequester {
  std::string wallet;
  std::optional<std::string> message, signature;  // signed by the wallet, as at wallet sign-in
};

// Callable from every thread. Its arguments must outlive it.
class RadioGate {
 public:
  struct Policy {
    bool asks_for_tokens = true;
    bool requires_proof = false;
  };
  RadioGate(wallet_sign_in::WalletSignIn& wallets, token_gating::TokenGating& gating, Policy policy)
      : wallets_(wallets), gating_(gating), policy_(policy) {}

  // In this order: invalid if the wallet is no address, or if a required proof is missing; unauthenticated or invalid
  // for a proof that is none, also where it is not required; forbidden without enough tokens; internal if the chain
  // cannot be asked.
  web::Task<web::Result<void>> admit(StreamRequester);

 private:
  web::Task<web::Result<void>> check_proof(const StreamRequester&);

  wallet_sign_in::WalletSignIn& wallets_;
  token_gating::TokenGating& gating_;
  const Policy policy_;
};

}  // namespace streams
