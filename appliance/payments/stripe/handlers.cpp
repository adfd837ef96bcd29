#include "appliance/payments/stripe/handlers.h"

#include "appliance/payments/stripe/signature.h"
#include "web/routes/reply.h"

namespace payments::stripe {

namespace {

constexpr int see_other = 303;

web::Result<web::Response> redirect_to(const web::Result<std::string>& page) {
  if (!page) return page.error();
  return web::redirect(*page, see_other);
}

}  // namespace

web::Answer list_offers(const Services& services, const web::Request&) {
  const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  OfferList answer;
  for (const auto& offer : services.checkout.prices().offers()) {
    answer.offers.push_back({.item = offer.item.name(),
                             .title = offer.item.title(),
                             .price = offer.price,
                             .amount = given(offer.amount),
                             .currency = given(offer.currency)});
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

}  // namespace payments::stripe
