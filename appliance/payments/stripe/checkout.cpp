#include "appliance/payments/stripe/checkout.h"

#include "appliance/foundation/email.h"
#include "appliance/payments/stripe/event.h"
#include "appliance/payments/stripe/records.h"

namespace payments::stripe {

namespace {

using oauth::Parameters;
using web::Result;
using web::Task;

constexpr auto session_path = "/v1/checkout/sessions", portal_path = "/v1/billing_portal/sessions";

web::Error not_configured() { return web::unavailable("Payments are not configured"); }

Result<std::string> url_in(const Result<boost::json::object>& session) {
  if (!session) return session.error();
  const auto* url = session->if_contains("url");
  const bool is_url = url && url->is_string() && url->get_string().starts_with("http");
  if (is_url) return std::string(url->get_string());
  return web::Error{.kind = web::Kind::bad_gateway,
                    .message = "The payment provider did not answer as expected; nothing was charged",
                    .detail = "the session has no URL"};
}

}  // namespace

Checkout::Checkout(store::System system, const agentbox::Settings& settings, const agentbox::Site& site,
                   const accounts::Accounts& accounts)
    : system_(std::move(system)),
      site_(site),
      accounts_(accounts),
      api_(settings.stripe_api_url, settings.stripe_secret_key),
      prices_(settings.stripe_prices) {}

Task<Result<std::string>> Checkout::plan(store::UserId user, std::string name) const {
  if (!billing::plan_named(name)) co_return web::invalid("plan must be one of: " + billing::plan_names());
  if (!api_.is_configured()) co_return not_configured();
  const auto* offer = prices_.find(name);
  if (!offer) co_return web::unavailable("Payments are not configured for the plan " + name);
  if (auto subscription = paid_plan_of(user); !subscription.empty())
    co_return co_await change_plan(user, std::move(subscription));
  co_return co_await open(user, *offer);
}

Task<Result<std::string>> Checkout::credits(store::UserId user, std::string price) const {
  const auto offer = find(Item::Kind::credits, "price", price);
  if (!offer) co_return offer.error();
  co_return co_await open(user, **offer);
}

Task<Result<std::string>> Checkout::storage(store::UserId user, std::optional<std::string> price) const {
  const auto* only = prices_.only_one_of(Item::Kind::storage);
  if (!price && only) price = only->price;
  const auto offer = find(Item::Kind::storage, "price", price.value_or(""));
  if (!offer) co_return offer.error();
  co_return co_await open(user, **offer);
}

Task<Result<std::string>> Checkout::portal(store::UserId user) const {
  if (!api_.is_configured()) co_return not_configured();
  auto customer = customer_of(user);
  if (customer.empty()) co_return web::not_found("Nothing has been bought by card yet");
  Parameters parameters{{"customer", std::move(customer)}, {"return_url", site_.url("/usage")}};
  co_return url_in(co_await api_.post(portal_path, std::move(parameters)));
}

// The metadata is repeated on what outlives the session, so that every later event names its user.
Task<Result<std::string>> Checkout::open(store::UserId user, Offer offer) const {
  const bool is_once = offer.item.kind == Item::Kind::credits;
  const auto id = std::to_string(user), item = offer.item.name();
  Parameters parameters{{"mode", is_once ? "payment" : "subscription"},
                        {"line_items[0][price]", offer.price},
                        {"line_items[0][quantity]", "1"},
                        {"client_reference_id", id},
                        {"metadata[agentbox_user]", id},
                        {"metadata[agentbox_item]", item},
                        {"success_url", site_.url("/usage?checkout=success")},
                        {"cancel_url", site_.url("/usage?checkout=cancelled")}};
  if (is_once) {
    parameters.emplace_back("payment_intent_data[metadata][agentbox_user]", id);
    parameters.emplace_back("payment_intent_data[metadata][agentbox_item]", item);
  } else {
    parameters.emplace_back("subscription_data[metadata][agentbox_user]", id);
    parameters.emplace_back("subscription_data[metadata][agentbox_item]", item);
  }
  if (auto customer = customer_of(user); !customer.empty()) {
    parameters.emplace_back("customer", std::move(customer));
  } else {
    if (is_once) parameters.emplace_back("customer_creation", "always");
    const auto account = accounts_.find(user);
    if (account && !agentbox::is_reserved_email(account->email))
      parameters.emplace_back("customer_email", account->email);
  }
  co_return url_in(co_await api_.post(session_path, std::move(parameters)));
}

Task<Result<std::string>> Checkout::change_plan(store::UserId user, std::string subscription) const {
  Parameters parameters{{"customer", customer_of(user)},
                        {"return_url", site_.url("/usage")},
                        {"flow_data[type]", "subscription_update"},
                        {"flow_data[subscription_update][subscription]", std::move(subscription)}};
  co_return url_in(co_await api_.post(portal_path, std::move(parameters)));
}

Result<const Offer*> Checkout::find(Item::Kind kind, std::string_view field, const std::string& name) const {
  if (!api_.is_configured()) return not_configured();
  const auto names = prices_.names_of(kind);
  if (names.empty()) return web::unavailable("Payments are not configured for this: nothing of the kind is sold");
  const auto* offer = prices_.find(name);
  if (!offer || offer->item.kind != kind)
    return web::invalid(std::string(field) + " must be one of: " + names + ", or its price at Stripe");
  return offer;
}

std::string Checkout::customer_of(store::UserId user) const {
  const auto known = system_.get(customers, user, Customer{}.id);
  return known ? known->value.customer : std::string();
}

std::string Checkout::paid_plan_of(store::UserId user) const {
  for (const auto& each : system_.find(stripe_subscriptions, "user", user)) {
    const auto item = Item::named(each.item);
    if (item && item->kind == Item::Kind::plan && is_in_force(each.status)) return each.id;
  }
  return {};
}

}  // namespace payments::stripe
