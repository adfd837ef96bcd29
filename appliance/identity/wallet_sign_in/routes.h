#pragma once

#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace wallet_sign_in {

// What the rows depend on; all of it must outlive them.
struct Services {
  WalletSignIn& wallets;
  sign_in::SignIn& sign_in;
};

// The nonce, and signing in.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace wallet_sign_in
