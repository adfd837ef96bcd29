#pragma once

#include <vector>

#include "appliance/audit/audit.h"
#include "appliance/billing/subscriptions.h"
#include "appliance/guards.h"
#include "appliance/keys/keys.h"
#include "appliance/usage/ledger.h"
#include "web/route.h"

namespace keys {

// /api/keys on the web. The arguments must outlive the rows.
std::vector<web::Route> routes(Keys&, const billing::Subscriptions&, const usage::Ledger&, audit::Audit&,
                               const agentbox::Guards&);

}  // namespace keys
