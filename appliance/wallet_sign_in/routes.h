#pragma once

#include <vector>

#include "appliance/accounts/sessions.h"
#include "appliance/audit/audit.h"
#include "appliance/guards.h"
#include "appliance/wallet_sign_in/wallet_sign_in.h"
#include "web/route.h"

namespace wallet_sign_in {

// Web: the nonce, and signing in. The services must outlive the rows.
std::vector<web::Route> routes(WalletSignIn&, accounts::Sessions&, audit::Audit&, const agentbox::Guards&);

}  // namespace wallet_sign_in
