#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/stripe/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace payments::stripe {

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

web::Answer list_offers(const Services&, const web::Request&);
web::Answer buy_plan(const Services&, const web::Request&, PlanChoice);
web::Answer buy_credits(const Services&, const web::Request&, PriceChoice);
web::Answer buy_storage(const Services&, const web::Request&, StorageChoice);
web::Answer open_portal(const Services&, const web::Request&);
web::Answer receive_event(const Services&, const web::Request&);

}  // namespace payments::stripe
