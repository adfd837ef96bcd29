#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "appliance/payments/x402/routes.h"
#include "web/routes/endpoint.h"

namespace x402 {

struct FacilitatorRequest {
  web::Integer<1, 2> x402Version;
  boost::json::object paymentPayload, paymentRequirements;
};
BOOST_DESCRIBE_STRUCT(FacilitatorRequest, (), (x402Version, paymentPayload, paymentRequirements))

struct SupportedKind {
  std::int64_t x402Version = 2;
  std::string scheme, network;
};
BOOST_DESCRIBE_STRUCT(SupportedKind, (), (x402Version, scheme, network))

struct SupportedAnswer {
  std::vector<SupportedKind> kinds;
  std::vector<std::string> extensions;
  std::map<std::string, std::vector<std::string>> signers;
};
BOOST_DESCRIBE_STRUCT(SupportedAnswer, (), (kinds, extensions, signers))

struct VerifyAnswer {
  bool isValid = false;
  std::optional<std::string> invalidReason, invalidMessage, payer;
};
BOOST_DESCRIBE_STRUCT(VerifyAnswer, (), (isValid, invalidReason, invalidMessage, payer))

struct SettleAnswer {
  bool success = false;
  std::optional<std::string> errorReason, payer;
  std::string transaction, network;
  std::optional<std::string> amount;
};
BOOST_DESCRIBE_STRUCT(SettleAnswer, (), (success, errorReason, payer, transaction, network, amount))

web::Answer show_supported(const Services&, const web::Request&);
web::Answer verify_payment(const Services&, const web::Request&, FacilitatorRequest);
web::Answer settle_payment(const Services&, const web::Request&, FacilitatorRequest);

}  // namespace x402
