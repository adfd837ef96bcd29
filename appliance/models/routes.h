// The HTTP face of the AI layer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/models/model_gateway.h"
#include "appliance/models/provider_keys.h"
#include "web/route.h"

namespace models {

// An agent's own token, or a user's API key.
web::Guard model_guard(const agentbox::Guards&);

// The arguments of each must outlive the rows.

// The door for agents and for clients written for OpenAI's API: POST /v1/chat/completions, POST /v1/embeddings and
// GET /v1/models, behind `guard`. Their listener tells errors in openai::error_form(). `provider_of` says through whom
// an agent wants its models asked (ModelQuery::provider).
using ProviderOf = std::function<std::string(std::string_view agent)>;
std::vector<web::Route> openai_routes(ModelGateway&, const web::Guard& guard, ProviderOf provider_of);
// The contract's AI API on the backend, /api/ai/*, and POST /api/admin/models/reload.
std::vector<web::Route> api_routes(ModelGateway&, const agentbox::Guards&);
// /api/demo/chat, /api/models and /api/response-cache on the web.
std::vector<web::Route> web_routes(ModelGateway&, const agentbox::Settings&, const agentbox::Guards&);
// /api/provider-keys on the web.
std::vector<web::Route> own_key_routes(ProviderKeys&, audit::Audit&, const agentbox::Guards&);

struct BillingParts {
  const accounts::Accounts& accounts;
  const billing::Subscriptions& subscriptions;
  const billing::SpendPolicy& policy;
  const usage::Ledger& ledger;
  ProviderKeys& keys;
  audit::Audit& audit;
  const agentbox::Guards& guards;
};
// /api/billing on the web: the plan, what is used of it, and whether one's own keys take its place.
std::vector<web::Route> billing_routes(BillingParts);

}  // namespace models
