#pragma once

#include <vector>

#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"
#include "web/route.h"

namespace wallet_sign_in {

// Web: the nonce, and signing in. The services must outlive the rows.
std::vector<web::Route> routes(WalletSignIn&, sign_in::SignIn&, const agentbox::Guards&);

}  // namespace wallet_sign_in
