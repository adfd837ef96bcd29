#pragma once

#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/keys/keys.h"
#include "web/route.h"

namespace keys {

// /api/keys on the web. The arguments must outlive the rows.
std::vector<web::Route> routes(Keys&, const billing::Subscriptions&, const usage::Ledger&, audit::Audit&,
                               const agentbox::Guards&);

}  // namespace keys
