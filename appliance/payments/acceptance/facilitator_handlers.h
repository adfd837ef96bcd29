#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/payments/acceptance/facilitator.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace x402 {

// What the rows depend on; all of it must outlive them.
struct Services {
  Facilitator& facilitator;
};

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

// /x402.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace x402
