#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/report.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/models/provider_keys.h"
#include "appliance/payments/stripe/checkout.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace payments::overview {

// What the rows depend on; all of it must outlive them.
struct Services {
  const accounts::PlanDirectory& plans;
  const billing::Subscriptions& subscriptions;
  const billing::SpendPolicy& policy;
  const usage::Ledger& ledger;
  models::ProviderKeys& keys;
  const stripe::Checkout& checkout;
  audit::Audit& audit;
};

// The usage of the plan's quota in this calendar month, including reservations of calls in progress.
struct Tokens {
  std::int64_t used = 0;
  std::optional<std::int64_t> limit;  // null: no limit, or no plan
  store::Time resetsAt;
};
BOOST_DESCRIBE_STRUCT(Tokens, (), (used, limit, resetsAt))

struct Byok {
  bool enabled = false;                // at least one key is used
  std::vector<std::string> providers;  // with a stored key
};
BOOST_DESCRIBE_STRUCT(Byok, (), (enabled, providers))

struct BillingInfo {
  std::optional<std::string> plan;
  std::string status = "none";
  std::optional<std::int64_t> priceGbp;  // per month
  Tokens tokens;
  std::int64_t credits = 0;
  Byok byok;
};
BOOST_DESCRIBE_STRUCT(BillingInfo, (), (plan, status, priceGbp, tokens, credits, byok))

struct ActionRequest {
  web::Text<1, 40> action;
  std::optional<web::Text<1, 40>> provider;
  std::optional<web::Text<1, 500>> key;
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 255>> price;
};
BOOST_DESCRIBE_STRUCT(ActionRequest, (), (action, provider, key, plan, price))

struct ByokSwitched {
  bool success = true;
  std::string action;
  Byok byok;
};
BOOST_DESCRIBE_STRUCT(ByokSwitched, (), (success, action, byok))

struct PageAnswer {
  bool success = true;
  std::string action, url;
};
BOOST_DESCRIBE_STRUCT(PageAnswer, (), (success, action, url))

struct UsageAnswer {
  bool success = true;
  std::string action, period;
  Tokens tokens;
  usage::TotalsView usage, ownKeys;  // with the plan; with the user's own keys
};
BOOST_DESCRIBE_STRUCT(UsageAnswer, (), (success, action, period, tokens, usage, ownKeys))

// /api/billing: the caller's plan and usage, and whether the caller's own provider keys are used.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payments::overview
