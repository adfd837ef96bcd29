#pragma once

#include <vector>

#include "appliance/entrance/entrance.h"
#include "appliance/guards.h"
#include "appliance/wallet_sign_in/wallet_sign_in.h"
#include "web/route.h"

namespace wallet_sign_in {

// Web: the nonce, and signing in. The services must outlive the rows.
std::vector<web::Route> routes(WalletSignIn&, entrance::Entrance&, const agentbox::Guards&);

}  // namespace wallet_sign_in
