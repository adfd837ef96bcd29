#include "appliance/demo/fake_services/card_processor.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/demo/fake_services/page.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "store/clock.h"
#include "web/markup.h"

namespace demo {

namespace json = boost::json;

namespace {

constexpr std::size_t id_characters = 16, max_open = 1'000;

// What is sold: the box's name of it, and the price's id and amount.
struct Sold {
  const char *item, *title, *price, *amount;
  std::int64_t cents;
  bool is_plan = false;
};
constexpr Sold all_sold[] = {
    {"solo", "Plan solo, a month", "price_solo", "9.00", 900, true},
    {"collective", "Plan collective, a month", "price_collective", "29.00", 2'900, true},
    {"network", "Plan network, a month", "price_network", "99.00", 9'900, true},
    {"credits.1000", "1000 credits", "price_credits", "10.00", 1'000},
    {"storage.10", "10 GB of storage, a month", "price_storage", "5.00", 500},
};

const Sold* sold_at(std::string_view price) {
  for (const auto& each : all_sold)
    if (price == each.price) return &each;
  return nullptr;
}

std::string new_id(std::string_view prefix) { return std::string(prefix) + crypto::random_id(id_characters); }

std::int64_t unix_time() { return std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch().count(); }

web::Response stripe_error(int status, std::string message) {
  return web::json(json::object{{"error", json::object{{"message", std::move(message)}}}}, status);
}

json::object metadata_of(const Form& form) {
  return {{"agentbox_user", value_of(form, "metadata[agentbox_user]")},
          {"agentbox_item", value_of(form, "metadata[agentbox_item]")}};
}

std::string button(const std::string& path, const std::string& label, const Form& fields = {}) {
  std::string inputs;
  for (const auto& [name, value] : fields)
    inputs += "<input type=\"hidden\" name=\"" + web::escape_attribute(name) + "\" value=\"" +
              web::escape_attribute(value) + "\">";
  return "<form method=\"post\" action=\"" + web::escape_attribute(path) + "\">" + inputs + "<button>" +
         web::escape_markup(label) + "</button></form>";
}

std::string link(const std::string& url, const std::string& label) {
  return "<p><a href=\"" + web::escape_attribute(url) + "\">" + web::escape_markup(label) + "</a></p>";
}

constexpr auto note = "<p>This card processor exists inside the demo only; no card is needed.</p>";

}  // namespace

CardProcessor::CardProcessor(const KnownBox& box)
    : box_(box), secret_key_("sk_demo_" + crypto::random_token()), webhook_secret_("whsec_" + crypto::random_token()) {}

std::vector<std::string> CardProcessor::prices() {
  std::vector<std::string> found;
  for (const auto& each : all_sold)
    found.push_back(std::string(each.item) + "=" + each.price + "@" + each.amount + "USD");
  return found;
}

std::vector<web::Route> CardProcessor::routes() {
  using web::Request;
  const auto authorization = [](const Request& request) { return std::string(request.header("Authorization")); };
  return {
      row(
          web::POST, "/cards/v1/checkout/sessions",
          [this, authorization](Request& request) {
            return open_checkout(authorization(request), std::string(request.body));
          },
          "Open a checkout"),
      row(
          web::POST, "/cards/v1/billing_portal/sessions",
          [this, authorization](Request& request) {
            return open_portal(authorization(request), std::string(request.body));
          },
          "Open the billing portal"),
      row(
          web::GET, "/cards/pay/:id", [this](Request& request) { return show_checkout(request.param("id")); },
          "A checkout"),
      row(
          web::POST, "/cards/pay/:id", [this](Request& request) { return pay(request.param("id")); }, "Pay"),
      row(
          web::GET, "/cards/portal/:id", [this](Request& request) { return show_portal(request.param("id")); },
          "A customer's subscriptions"),
      row(
          web::POST, "/cards/portal/:id",
          [this](Request& request) { return change(request.param("id"), std::string(request.body)); },
          "Change or cancel a subscription"),
  };
}

web::Answer CardProcessor::open_checkout(std::string authorization, std::string body) {
  if (!crypto::constant_time_equal(authorization, "Bearer " + secret_key_))
    co_return stripe_error(401, "Invalid API Key");
  auto form = form_of(body);
  const auto price = value_of(form, "line_items[0][price]");
  if (!sold_at(price)) co_return stripe_error(400, "No such price: " + price);
  if (checkouts_.size() >= max_open) checkouts_.erase(checkouts_.begin());
  const auto id = new_id("cs_demo_");
  checkouts_.emplace(id, std::move(form));
  co_return web::json(json::object{{"id", id}, {"object", "checkout.session"}, {"url", url_ + "/pay/" + id}});
}

web::Answer CardProcessor::open_portal(std::string authorization, std::string body) {
  if (!crypto::constant_time_equal(authorization, "Bearer " + secret_key_))
    co_return stripe_error(401, "Invalid API Key");
  if (portals_.size() >= max_open) portals_.erase(portals_.begin());
  const auto id = new_id("bps_demo_");
  portals_.emplace(id, form_of(body));
  co_return web::json(json::object{{"id", id}, {"object", "billing_portal.session"}, {"url", url_ + "/portal/" + id}});
}

web::Answer CardProcessor::show_checkout(std::string id) const {
  const auto found = checkouts_.find(id);
  if (found == checkouts_.end()) co_return web::not_found("This checkout is over");
  const auto& form = found->second;
  const auto* sold = sold_at(value_of(form, "line_items[0][price]"));
  co_return page("Checkout", note + std::string("<p>") + sold->title + ": " + sold->amount + " USD</p>" +
                                 button(url_ + "/pay/" + id, "Pay") + link(value_of(form, "cancel_url"), "Cancel"));
}

web::Answer CardProcessor::pay(std::string id) {
  const auto node = checkouts_.extract(id);  // a checkout is paid once
  if (node.empty()) co_return web::not_found("This checkout is over");
  const auto& form = node.mapped();
  const auto price = value_of(form, "line_items[0][price]");
  const auto* sold = sold_at(price);
  const auto given = value_of(form, "customer");
  const auto customer = given.empty() ? new_id("cus_demo_") : given;
  const bool is_subscription = value_of(form, "mode") == "subscription";
  const auto subscription_id = is_subscription ? new_id("sub_demo_") : std::string();
  json::object session{{"id", id},
                       {"object", "checkout.session"},
                       {"mode", value_of(form, "mode")},
                       {"status", "complete"},
                       {"payment_status", "paid"},
                       {"client_reference_id", value_of(form, "client_reference_id")},
                       {"customer", customer},
                       {"amount_total", sold->cents},
                       {"currency", "usd"},
                       {"metadata", metadata_of(form)}};
  if (is_subscription)
    session["subscription"] = subscription_id;
  else
    session["payment_intent"] = new_id("pi_demo_");
  auto told = co_await tell("checkout.session.completed", std::move(session));
  if (told && is_subscription) {
    const Subscription subscription{.customer = customer, .price = price, .metadata = metadata_of(form)};
    subscriptions_[subscription_id] = subscription;
    told = co_await tell_of_subscription("customer.subscription.created", subscription_id, subscription);
  }
  if (told && is_subscription) {
    json::object invoice{{"id", new_id("in_demo_")},   {"object", "invoice"},
                         {"customer", customer},       {"subscription", subscription_id},
                         {"amount_paid", sold->cents}, {"amount_due", sold->cents},
                         {"currency", "usd"},          {"payment_intent", new_id("pi_demo_")}};
    told = co_await tell("invoice.paid", std::move(invoice));
  }
  if (!told) co_return told.error();
  co_return web::redirect(value_of(form, "success_url"), 303);
}

web::Answer CardProcessor::show_portal(std::string id) const {
  const auto found = portals_.find(id);
  if (found == portals_.end()) co_return web::not_found("This visit of the portal is over");
  const auto customer = value_of(found->second, "customer");
  const auto path = url_ + "/portal/" + id;
  std::string list;
  for (const auto& [number, subscription] : subscriptions_) {
    if (subscription.customer != customer) continue;
    const auto* held = sold_at(subscription.price);
    list += std::string("<h2>") + held->title + "</h2>";
    for (const auto& other : all_sold)
      if (held->is_plan && other.is_plan && subscription.price != other.price)
        list +=
            button(path, std::string("Change to ") + other.title, {{"subscription", number}, {"price", other.price}});
    list += button(path, "Cancel the subscription", {{"subscription", number}});
  }
  if (list.empty()) list = "<p>Nothing has been subscribed to since this demo was started.</p>";
  co_return page("Billing portal", note + list + link(value_of(found->second, "return_url"), "Back"));
}

web::Answer CardProcessor::change(std::string id, std::string body) {
  const auto portal = portals_.find(id);
  if (portal == portals_.end()) co_return web::not_found("This visit of the portal is over");
  const auto form = form_of(body);
  const auto number = value_of(form, "subscription"), price = value_of(form, "price");
  const auto back = value_of(portal->second, "return_url");
  const auto found = subscriptions_.find(number);
  if (found == subscriptions_.end() || found->second.customer != value_of(portal->second, "customer"))
    co_return web::not_found("There is no such subscription");
  if (!price.empty() && !sold_at(price)) co_return web::invalid("price must be one of those on the page");
  auto subscription = found->second;
  if (price.empty()) {
    subscriptions_.erase(found);
  } else {
    subscription.price = price;
    subscription.metadata["agentbox_item"] = sold_at(price)->item;
    found->second = subscription;
  }
  const char* event = price.empty() ? "customer.subscription.deleted" : "customer.subscription.updated";
  const auto told = co_await tell_of_subscription(event, number, subscription);
  if (!told) co_return told.error();
  co_return web::redirect(back, 303);
}

web::Task<web::Result<void>> CardProcessor::tell_of_subscription(std::string type, std::string id,
                                                                 const Subscription& subscription) {
  json::array items;
  items.push_back(json::object{{"price", json::object{{"id", subscription.price}}}, {"quantity", 1}});
  json::object object{{"id", id},
                      {"object", "subscription"},
                      {"customer", subscription.customer},
                      {"status", type.ends_with("deleted") ? "canceled" : "active"},
                      {"metadata", subscription.metadata},
                      {"items", json::object{{"object", "list"}, {"data", std::move(items)}}}};
  co_return co_await tell(std::move(type), std::move(object));
}

web::Task<web::Result<void>> CardProcessor::tell(std::string type, json::object object) {
  const auto box = box_.get();
  if (!box) co_return web::unavailable("The box is not there yet");
  const auto now = unix_time();
  last_event_ = std::max(now, last_event_ + 1);
  const json::object event{{"id", new_id("evt_demo_")},
                           {"object", "event"},
                           {"type", type},
                           {"created", last_event_},
                           {"data", json::object{{"object", std::move(object)}}}};
  auto body = json::serialize(event);
  const auto time = std::to_string(now);
  const auto signature = crypto::hex(crypto::hmac_sha256(webhook_secret_, time + "." + body));
  web::FetchRequest request{.url = box->web + "/api/webhooks/stripe", .method = "POST"};
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Stripe-Signature", "t=" + time + ",v1=" + signature);
  request.body = std::move(body);
  request.reach = web::Reach::own;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status == 200) co_return web::Result<void>();
  co_return web::Error{.kind = web::Kind::bad_gateway,
                       .message = "The box refused the event " + type + ": " + answer->body};
}

}  // namespace demo
