#include "appliance/payments/overview/routes.h"

#include "appliance/payments/overview/handlers.h"
#include "web/routes/endpoint.h"

namespace payments::overview {

namespace {

constexpr const char* action_text =
    "`action` is enable-byok (uses your own provider keys; `provider` and `key` store one first, as PUT "
    "/api/provider-keys/:provider does), disable-byok (disables all of them: they stay sealed, and calls use the plan "
    "again), both returning {success, action, byok: {enabled, providers[]}}; or get-usage ({success, action, period, "
    "tokens, usage, ownKeys} of this calendar month). create-checkout (`plan`) and buy-credits (`price`) answer "
    "{success, action, url}: the page to pay at, as GET /api/stripe/checkout and /api/stripe/credits redirect to; 503 "
    "on a box without STRIPE_SECRET_KEY.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/billing", session, nullptr, web::plain(on(show_billing)).returns<BillingInfo>(),
       "Your plan, its usage, your credits and your own provider keys"},
      {web::POST, "/api/billing", session, nullptr,
       web::body<ActionRequest>(on(run_billing_action)).describe(action_text), "Run a billing action"},
  };
}

}  // namespace payments::overview
