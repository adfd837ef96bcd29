#include "appliance/foundation/crypto/hmac.h"
#include "appliance/identity/module.h"
#include "appliance/identity/wallet_sign_in/routes.h"

namespace wallet_sign_in {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        nonces(crypto::derived_key(module.platform.master_key, "wallet nonces"), module.replay_guard),
        wallets(nonces, module.rpc, module.identities, module.site) {}
  Services services() { return {wallets, identity.sign_in}; }

  identity::Module& identity;
  Nonces nonces;
  WalletSignIn wallets;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace wallet_sign_in
