#include "appliance/payments/stripe/routes.h"

#include "appliance/payments/stripe/handlers.h"
#include "web/routes/endpoint.h"

namespace payments::stripe {

namespace {

const web::RateLimit checkout_rate{.group = "checkout", .limit = 30};
const web::RateLimit webhook_rate{.group = "stripe", .limit = 1'200};

constexpr const char* plan_text =
    "303 to a Checkout Session for `plan`: label, solo, collective or network. A user who pays for a plan already is "
    "redirected to the billing portal to change it. 503 without STRIPE_SECRET_KEY, or if the plan has no price in "
    "STRIPE_PRICES.";
constexpr const char* credits_text =
    "303 to a Checkout Session for a pack of credits. `price` is its name in STRIPE_PRICES (credits.1000) or its price "
    "at Stripe; see GET /api/stripe/prices.";
constexpr const char* storage_text =
    "303 to a Checkout Session for a monthly subscription to storage, which raises the quota of each of your agents. "
    "`price` is its name in STRIPE_PRICES (storage.10) or its price at Stripe, and may be left out if only one is "
    "sold.";
constexpr const char* portal_text =
    "303 to Stripe's billing portal: payment methods, invoices, changes and cancellation. 404 before the first "
    "purchase.";
constexpr const char* webhook_text =
    "For Stripe. The body is an event, signed in `Stripe-Signature` (at most 300 seconds ago) with "
    "STRIPE_WEBHOOK_SECRET. Each event counts once, in any order: checkout.session.completed and "
    "checkout.session.async_payment_succeeded, invoice.paid and invoice.payment_failed, customer.subscription.created, "
    "updated and deleted, charge.refunded. Others are acknowledged.";

web::Endpoint redirecting(web::Endpoint endpoint, const char* text) {
  endpoint.success = 303;
  endpoint.description = text;
  endpoint.failures = {web::Kind::invalid, web::Kind::bad_gateway, web::Kind::unavailable};
  return endpoint;
}

// Links and forms may use either method.
template <class Choice, class Handler>
void add_checkout(std::vector<web::Route>& table, const web::Guard& session, std::string path, Handler handler,
                  const char* text, std::string summary) {
  table.push_back({web::GET, path, session, &checkout_rate, redirecting(web::query<Choice>(handler), text), summary});
  table.push_back({web::POST, std::move(path), session, &checkout_rate,
                   redirecting(web::body_or_query<Choice>(std::move(handler)), text), std::move(summary)});
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  std::vector<web::Route> table;
  table.push_back({web::GET, "/api/stripe/prices", guards.none, nullptr,
                   web::plain(on(list_offers))
                       .returns<OfferList>()
                       .describe("From STRIPE_PRICES. Plans without an amount there show the price of the plan."),
                   "What can be bought by card"});
  add_checkout<PlanChoice>(table, session, "/api/stripe/checkout", on(buy_plan), plan_text, "Subscribe to a plan");
  add_checkout<PriceChoice>(table, session, "/api/stripe/credits", on(buy_credits), credits_text, "Buy credits");
  add_checkout<StorageChoice>(table, session, "/api/stripe/storage-upgrade", on(buy_storage), storage_text,
                              "Subscribe to more storage");
  for (const auto method : {web::GET, web::POST})
    table.push_back({method, "/api/stripe/portal", session, &checkout_rate,
                     redirecting(web::plain(on(open_portal)), portal_text), "Open the billing portal"});
  table.push_back({web::POST, "/api/webhooks/stripe", guards.none, &webhook_rate,
                   web::plain(on(receive_event))
                       .returns<EventAnswer>()
                       .fails({web::Kind::invalid, web::Kind::unavailable})
                       .describe(webhook_text),
                   "Receive an event from Stripe"});
  return table;
}

}  // namespace payments::stripe
