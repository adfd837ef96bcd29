#include "appliance/payments/stripe/prices.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "appliance/billing/usage/money.h"
#include "appliance/foundation/settings/settings.h"

namespace payments::stripe {

namespace {

constexpr std::string_view credits_prefix = "credits.", storage_prefix = "storage.";
constexpr std::int64_t max_credits = 100'000'000, max_gigabytes = 100'000;

// A positive whole number without leading zeros.
std::optional<std::int64_t> quantity_in(std::string_view text, std::int64_t max_quantity) {
  std::int64_t quantity = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantity);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && !text.starts_with('0');
  return is_number && quantity > 0 && quantity <= max_quantity ? std::optional(quantity) : std::nullopt;
}

std::optional<Item> item_of_quantity(Item::Kind kind, std::string_view text, std::int64_t max_quantity) {
  const auto quantity = quantity_in(text, max_quantity);
  if (!quantity) return std::nullopt;
  return Item{.kind = kind, .quantity = *quantity};
}

bool is_price_id(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

agentbox::UsageError wrong(const std::string& entry, std::string_view problem) {
  return agentbox::UsageError("STRIPE_PRICES: " + entry + " " + std::string(problem));
}

// "9.00GBP"
void read_shown(Offer& offer, const std::string& entry, std::string_view text) {
  constexpr std::size_t letters = 3;
  const auto split = text.size() > letters ? text.size() - letters : 0;
  offer.amount = text.substr(0, split);
  offer.currency = text.substr(split);
  const bool is_currency = std::ranges::all_of(offer.currency, [](char c) { return c >= 'A' && c <= 'Z'; });
  const auto amount = usage::Money::parse(offer.amount);
  if (!is_currency || !amount || *amount < usage::Money())
    throw wrong(entry, "must end with an amount and a currency, such as @9.00GBP");
}

Offer offer_of(const std::string& entry) {
  const std::string_view text = entry;
  const auto equals = text.find('='), at = text.find('@');
  if (equals == text.npos) throw wrong(entry, "must be name=price");
  const auto item = Item::named(text.substr(0, equals));
  if (!item)
    throw wrong(entry, "must begin with " + billing::plan_names() + ", credits.<number> or storage.<gigabytes>");
  Offer offer{
      .item = *item, .price = std::string(text.substr(equals + 1, at - equals - 1)), .amount = {}, .currency = {}};
  if (!is_price_id(offer.price)) throw wrong(entry, "must name a price at Stripe, such as price_1ABC");
  if (at != text.npos) {
    read_shown(offer, entry, text.substr(at + 1));
  } else if (item->kind == Item::Kind::plan) {
    offer.amount = std::to_string(billing::limits(item->plan).monthly_price_gbp) + ".00";
    offer.currency = "GBP";
  }
  return offer;
}

}  // namespace

std::optional<Item> Item::named(std::string_view name) {
  if (const auto plan = billing::plan_named(name)) return Item{.kind = Kind::plan, .plan = *plan};
  if (name.starts_with(credits_prefix))
    return item_of_quantity(Kind::credits, name.substr(credits_prefix.size()), max_credits);
  if (name.starts_with(storage_prefix))
    return item_of_quantity(Kind::storage, name.substr(storage_prefix.size()), max_gigabytes);
  return std::nullopt;
}

std::string Item::name() const {
  if (kind == Kind::plan) return std::string(billing::to_string(plan));
  return std::string(kind == Kind::credits ? credits_prefix : storage_prefix) + std::to_string(quantity);
}

std::string Item::title() const {
  if (kind == Kind::plan) return "Plan " + std::string(billing::to_string(plan));
  return std::to_string(quantity) + (kind == Kind::credits ? " credits" : " GB of storage");
}

Prices::Prices(const std::vector<std::string>& setting) {
  for (const auto& entry : setting) {
    auto offer = offer_of(entry);
    if (find(offer.item.name()) || find(offer.price)) throw wrong(entry, "is there twice");
    offers_.push_back(std::move(offer));
  }
}

const Offer* Prices::find(std::string_view name_or_price) const {
  const auto found = std::ranges::find_if(
      offers_, [&](const Offer& offer) { return offer.price == name_or_price || offer.item.name() == name_or_price; });
  return found == offers_.end() ? nullptr : &*found;
}

const Offer* Prices::find_price(std::string_view price) const {
  const auto found = std::ranges::find(offers_, price, &Offer::price);
  return found == offers_.end() ? nullptr : &*found;
}

std::string Prices::names_of(Item::Kind kind) const {
  std::string names;
  for (const auto& offer : offers_)
    if (offer.item.kind == kind) names.append(names.empty() ? "" : ", ").append(offer.item.name());
  return names;
}

const Offer* Prices::only_one_of(Item::Kind kind) const {
  const auto is_of_kind = [kind](const Offer& offer) { return offer.item.kind == kind; };
  if (std::ranges::count_if(offers_, is_of_kind) != 1) return nullptr;
  return &*std::ranges::find_if(offers_, is_of_kind);
}

}  // namespace payments::stripe
