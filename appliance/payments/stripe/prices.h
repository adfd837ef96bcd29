// What the box sells by card, from the setting STRIPE_PRICES: "solo=price_1,credits.1000=price_2@9.00GBP".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"

namespace payments::stripe {

// Something that is sold, by its name in the setting. Names are stored and sent to Stripe: they do not change.
struct Item {
  enum class Kind { plan, credits, storage };
  Kind kind = Kind::plan;
  billing::Plan plan = billing::Plan::label;
  std::int64_t quantity = 0;  // credits, or gigabytes of storage

  // "solo", "credits.1000", "storage.10"; not set for anything else.
  static std::optional<Item> named(std::string_view name);
  std::string name() const;
  // "Plan solo", "1000 credits", "10 GB of storage".
  std::string title() const;
};

struct Offer {
  Item item;
  std::string price;             // its id at Stripe
  std::string amount, currency;  // to be shown: "9.00", "GBP"; may be empty
};

class Prices {
 public:
  // Throws agentbox::UsageError, naming the entry that is wrong.
  explicit Prices(const std::vector<std::string>& setting);

  const std::vector<Offer>& offers() const { return offers_; }
  // By the item's name or the price's id; null: not sold.
  const Offer* find(std::string_view name_or_price) const;
  const Offer* find_price(std::string_view price) const;
  // "credits.500, credits.1000"; empty: there is none of the kind.
  std::string names_of(Item::Kind) const;
  // The only offer of its kind, null if there are none or several.
  const Offer* only_one_of(Item::Kind) const;

 private:
  std::vector<Offer> offers_;
};

}  // namespace payments::stripe
