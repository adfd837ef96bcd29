#pragma once

#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/models/provider_keys.h"
#include "appliance/payments/stripe/checkout.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace payments::overview {

// What the rows depend on; all of it must outlive them.
struct Services {
  const accounts::Accounts& accounts;
  const billing::Subscriptions& subscriptions;
  const billing::SpendPolicy& policy;
  const usage::Ledger& ledger;
  models::ProviderKeys& keys;
  const stripe::Checkout& checkout;
  audit::Audit& audit;
};

// /api/billing: the caller's plan and usage, and whether the caller's own provider keys are used.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payments::overview
