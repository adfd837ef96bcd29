#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/payments/stripe/checkout.h"
#include "appliance/payments/stripe/events.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace payments::stripe {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Checkout& checkout;
  Events& events;
  const std::string& webhook_secret;  // empty: there is none
};

struct PlanChoice {
  web::Text<1, 20> plan;
};
BOOST_DESCRIBE_STRUCT(PlanChoice, (), (plan))

struct PriceChoice {
  web::Text<1, 255> price;
};
BOOST_DESCRIBE_STRUCT(PriceChoice, (), (price))

struct StorageChoice {
  std::optional<web::Text<1, 255>> price;
};
BOOST_DESCRIBE_STRUCT(StorageChoice, (), (price))

struct OfferView {
  std::string item, title, price;
  std::optional<std::string> amount, currency;
};
BOOST_DESCRIBE_STRUCT(OfferView, (), (item, title, price, amount, currency))

struct OfferList {
  std::vector<OfferView> offers;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(OfferList, (), (offers, count))

struct EventAnswer {
  bool received = true;
  bool duplicate = false;
};
BOOST_DESCRIBE_STRUCT(EventAnswer, (), (received, duplicate))

// /api/stripe: redirects to Stripe's pages; and its webhook.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payments::stripe
