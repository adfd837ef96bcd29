#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/payments/acceptance/gateway.h"
#include "appliance/payments/acceptance/plugins.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace gateway {

// What the rows depend on; all of it must outlive them.
struct Services {
  Gateway& gateway;
  Plugins& plugins;
  const agentbox::Site& site;
};

// The ways of the sources.
BOOST_DEFINE_ENUM_CLASS(PaymentChoice, balance, credits)

struct GatewayRequest {
  web::Text<1, 40> plugin;  // a Plugin
  std::optional<web::Text<1, 40>> action;
  boost::json::object input;
  std::optional<PaymentChoice> payment;
};
BOOST_DESCRIBE_STRUCT(GatewayRequest, (), (plugin, action, input, payment))

struct GatewayAnswer {
  struct Payment {
    std::string way, amount, currency = "USDC", network, transaction, payer;
    BOOST_DESCRIBE_CLASS(Payment, (), (way, amount, currency, network, transaction, payer), (), ())
  };
  bool success = true;
  std::string plugin, action;
  boost::json::value result;
  Payment payment;
};
BOOST_DESCRIBE_STRUCT(GatewayAnswer, (), (success, plugin, action, result, payment))

web::Answer sell(const Services&, const web::Request&, GatewayRequest);

// /api/v1/gateway.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace gateway
