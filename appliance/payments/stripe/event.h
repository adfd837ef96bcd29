// Reads what Stripe's events say. Their objects are read leniently: members that are missing or of another type are
// empty, and both the forms before and since the API of 2025 are known.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/payments/stripe/prices.h"
#include "appliance/payments/stripe/subscription_report.h"
#include "web/result.h"

namespace payments::stripe {

// The box's metadata of Checkout Sessions, subscriptions and payments.
inline constexpr std::string_view user_key = "agentbox_user", item_key = "agentbox_item";

struct Event {
  std::string id, type;
  std::int64_t created = 0;
  boost::json::object object;  // what the event is about

  // invalid, naming the field.
  static web::Result<Event> parse(std::string_view body);

  // Members of the object; "a.b" is a member of a member.
  std::string text(std::string_view path) const;
  std::int64_t number(std::string_view path) const;
  // The id of something that is given as its id or as the object itself.
  std::string id_of(std::string_view path) const;
  // The user and item in the object's metadata, or in that of its subscription; 0 and empty: there are none.
  std::int64_t user() const;
  std::string item() const;
  std::string subscription() const;
};

// What an event says about a subscription; not set: nothing.
std::optional<SubscriptionReport> subscription_report(const Event&, const Prices&);

}  // namespace payments::stripe
