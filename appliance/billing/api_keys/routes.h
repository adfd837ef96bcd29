#pragma once

#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/keys/keys.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace billing::api_keys {

// What the rows depend on; all of it must outlive them.
struct Services {
  keys::Keys& keys;
  const billing::Subscriptions& subscriptions;
  const usage::Ledger& ledger;
  audit::Audit& audit;
  const store::System& system;
};

// /api/keys: a user's API keys.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace billing::api_keys
