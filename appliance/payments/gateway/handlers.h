#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>

#include "appliance/payments/gateway/routes.h"
#include "web/routes/endpoint.h"

namespace gateway {

// The ways of the purses.
BOOST_DEFINE_ENUM_CLASS(PaymentChoice, balance, credits)

struct GatewayRequest {
  Plugin plugin{};
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

}  // namespace gateway
