// Signing in with a wallet: verifies a message that the wallet signed, on the box itself where possible.
#pragma once

#include <optional>
#include <string>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/site.h"
#include "appliance/identity/wallet_sign_in/message.h"
#include "appliance/identity/wallet_sign_in/nonces.h"
#include "web/result.h"
#include "web/task.h"

namespace wallet_sign_in {

struct Proof {
  std::string address;                          // as the client sent it
  std::string message;                          // the exact text that was signed
  std::string signature;                        // 0x and hex
  std::optional<std::string> invite_code = {};  // for a new user, where registration is by invitation
};

// Callable from every thread; the arguments must outlive it.
class WalletSignIn {
 public:
  WalletSignIn(Nonces& nonces, chain::Rpc& rpc, identities::Identities& identities, const agentbox::Site& site)
      : nonces_(nonces), rpc_(rpc), identities_(identities), site_(site) {}

  std::string nonce() const { return nonces_.issue(store::now()); }

  // The address of the wallet that signed. invalid: malformed input. unauthenticated: a check failed; the message says
  // which. unavailable: the wallet is a contract, and the chain cannot be reached. The first message with a valid
  // signature spends its nonce.
  web::Task<web::Result<crypto::EthereumAddress>> verify(Proof);
  // The wallet's user. Errors as above, and those of Identities::sign_in.
  web::Task<web::Result<accounts::User>> sign_in(Proof);

 private:
  std::optional<web::Error> refuse(const Message&, store::Time now) const;
  web::Task<web::Result<bool>> is_signed(const Message&, std::string text, std::string signature);

  Nonces& nonces_;
  chain::Rpc& rpc_;
  identities::Identities& identities_;
  const agentbox::Site& site_;
};

}  // namespace wallet_sign_in
