#include "appliance/payments/stripe/event.h"

#include <array>

#include "appliance/access/records.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace payments::stripe {

namespace {

namespace json = boost::json;
using Source = SubscriptionReport::Source;

const json::value* member(const json::object& object, std::string_view path) {
  const auto dot = path.find('.');
  const auto* found = object.if_contains(path.substr(0, dot));
  if (dot == path.npos || !found) return found;
  const auto* inner = found->if_object();
  return inner ? member(*inner, path.substr(dot + 1)) : nullptr;
}

std::int64_t number_of(const json::value* value) { return value && value->is_int64() ? value->get_int64() : 0; }

// Where the box's metadata may be, the nearest first.
constexpr std::array<std::string_view, 3> metadata_paths{"metadata.", "subscription_details.metadata.",
                                                         "parent.subscription_details.metadata."};

std::string metadata(const Event& event, std::string_view key) {
  for (const auto path : metadata_paths)
    if (auto text = event.text(std::string(path).append(key)); !text.empty()) return text;
  return {};
}

// The price of a subscription's first item: a change of plan in the billing portal changes it, and not the metadata.
std::string price_of_subscription(const Event& event) {
  const auto* items = member(event.object, "items.data");
  const auto* list = items ? items->if_array() : nullptr;
  const auto* first = list && !list->empty() ? list->front().if_object() : nullptr;
  return first ? web::string_or_empty(member(*first, "price.id")) : std::string();
}

std::optional<std::string> non_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::optional<std::string> status_of_checkout(const Event& event) {
  const auto payment = event.text("payment_status");
  const bool is_paid = payment == "paid" || payment == "no_payment_required";
  return is_paid ? std::optional<std::string>("active") : std::nullopt;
}

// A first payment that fails begins no subscription; a later one leaves it to be collected again.
std::optional<std::string> status_of_invoice(const Event& event) {
  if (event.type == "invoice.paid") return "active";
  return event.text("billing_reason") == "subscription_create" ? "incomplete" : "past_due";
}

}  // namespace

web::Result<Event> Event::parse(std::string_view body) {
  const auto value = web::parse_json(body);
  if (!value) return value.error();
  const auto* body_object = value->if_object();
  if (!body_object) return web::invalid("Body must be an object");
  Event event{.id = web::string_or_empty(member(*body_object, "id")),
              .type = web::string_or_empty(member(*body_object, "type")),
              .created = number_of(member(*body_object, "created")),
              .object = {}};
  const auto* object = member(*body_object, "data.object");
  if (event.id.empty() || event.id.size() > 255) return web::invalid("id must be the event's id");
  if (event.type.empty()) return web::invalid("type must be the event's type");
  if (event.created <= 0) return web::invalid("created must be a time in seconds");
  if (!object || !object->is_object()) return web::invalid("data.object must be an object");
  event.object = object->get_object();
  return event;
}

std::string Event::text(std::string_view path) const { return web::string_or_empty(member(object, path)); }
std::int64_t Event::number(std::string_view path) const { return number_of(member(object, path)); }

std::string Event::id_of(std::string_view path) const {
  const auto* value = member(object, path);
  if (const auto* expanded = value ? value->if_object() : nullptr)
    return web::string_or_empty(expanded->if_contains("id"));
  return web::string_or_empty(value);
}

std::int64_t Event::user() const {
  const auto named = accounts::parse_user_id(metadata(*this, user_key));
  return named ? *named : accounts::parse_user_id(text("client_reference_id")).value_or(0);
}

std::string Event::item() const { return metadata(*this, item_key); }

std::string Event::subscription() const {
  if (type.starts_with("customer.subscription.")) return text("id");
  auto named = id_of("subscription");
  return named.empty() ? id_of("parent.subscription_details.subscription") : named;
}

std::optional<SubscriptionReport> subscription_report(const Event& event, const Prices& prices) {
  SubscriptionReport report{.id = event.subscription(), .created = event.created, .user_id = event.user()};
  if (report.id.empty()) return std::nullopt;
  report.item = non_empty(event.item());
  if (event.type.starts_with("customer.subscription.")) {
    report.source = Source::subscription;
    report.status =
        event.type == "customer.subscription.deleted" ? non_empty("canceled") : non_empty(event.text("status"));
    if (const auto* offer = prices.find_price(price_of_subscription(event))) {
      report.item = offer->item.name();
      report.is_item_current = true;
    }
  } else if (event.type.starts_with("checkout.session.")) {
    report.source = Source::checkout;
    report.status = status_of_checkout(event);
  } else if (event.type == "invoice.paid" || event.type == "invoice.payment_failed") {
    report.source = Source::invoice;
    report.status = status_of_invoice(event);
  } else {
    return std::nullopt;
  }
  return report;
}

}  // namespace payments::stripe
