#include "appliance/payments/stripe/handlers.h"

#include "appliance/payments/stripe/signature.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace payments::stripe {

namespace {

constexpr int see_other = 303;

web::Result<web::Response> redirect_to(const web::Result<std::string>& page) {
  if (!page) return page.error();
  return web::redirect(*page, see_other);
}

web::Answer list_offers(const Services& services, const web::Request&) {
  const auto non_empty = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  OfferList answer;
  for (const auto& offer : services.checkout.prices().offers()) {
    answer.offers.push_back({.item = offer.item.name(),
                             .title = offer.item.title(),
                             .price = offer.price,
                             .amount = non_empty(offer.amount),
                             .currency = non_empty(offer.currency)});
  }
  answer.count = static_cast<std::int64_t>(answer.offers.size());
  co_return web::reply(answer, 200);
}

web::Answer buy_plan(const Services& services, const web::Request& request, PlanChoice choice) {
  const auto page = co_await services.checkout.plan(request.caller.user_id, std::move(choice.plan));
  co_return redirect_to(page);
}

web::Answer buy_credits(const Services& services, const web::Request& request, PriceChoice choice) {
  const auto page = co_await services.checkout.credits(request.caller.user_id, std::move(choice.price));
  co_return redirect_to(page);
}

web::Answer buy_storage(const Services& services, const web::Request& request, StorageChoice choice) {
  std::optional<std::string> price;
  if (choice.price) price = std::move(*choice.price);
  const auto page = co_await services.checkout.storage(request.caller.user_id, std::move(price));
  co_return redirect_to(page);
}

web::Answer open_portal(const Services& services, const web::Request& request) {
  const auto page = co_await services.checkout.portal(request.caller.user_id);
  co_return redirect_to(page);
}

web::Answer receive_event(const Services& services, const web::Request& request) {
  if (services.webhook_secret.empty()) co_return web::unavailable("Payments are not configured");
  const auto now = std::chrono::floor<std::chrono::seconds>(store::now());
  const auto verified =
      verify_signature(request.header("Stripe-Signature"), request.body, services.webhook_secret, now);
  if (!verified) co_return verified.error();
  const auto is_new = co_await services.events.receive(std::string(request.body));
  if (!is_new) co_return is_new.error();
  const EventAnswer answer{.duplicate = !*is_new};
  co_return web::reply(answer, 200);
}

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
    "updated and deleted, invoice_payment.paid, charge.refunded, charge.dispute.created, updated and closed. Others "
    "are "
    "acknowledged.";

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
