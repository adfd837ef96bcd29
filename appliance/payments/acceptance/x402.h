// The JSON of x402, versions 1 and 2: what a resource costs, how it is paid, and how that went.
// Scheme `exact` on EVM chains: an authorization of EIP-3009.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/payments/acceptance/authorization.h"
#include "web/result.h"

namespace x402 {

inline constexpr std::string_view scheme = "exact";

struct Resource {
  std::string url, description;
};

// One way to pay. Amounts are in the token's smallest unit.
struct Requirements {
  std::uint64_t chain_id = 0;
  crypto::EthereumAddress asset, pay_to;
  std::string amount;  // decimal digits
  std::int64_t max_timeout_seconds = 300;
  std::string name, version;  // of the token's signing domain
};

// A payment as presented.
struct Payload {
  int version = 2;
  std::string scheme, network;
  boost::json::object accepted;  // of version 2: the requirements that the payer chose
  eip3009::Authorization authorization;
};

// Chains have CAIP-2 names ("eip155:8453") since version 2, words ("base") before.
std::string network_of(std::uint64_t chain_id);
// Empty for a chain without such a name, which version 1 cannot express.
std::string_view old_network_of(std::uint64_t chain_id);
// The name of a chain in that version.
std::string network_name(std::uint64_t chain_id, int version);

// How a settlement went. `transaction` is empty if nothing was sent.
struct Settlement {
  bool success = false;
  std::string reason, transaction, payer, amount;
};

boost::json::object requirements_v2(const Requirements&);
boost::json::object payment_required_v2(const Requirements&, const Resource&, std::string_view error);
// Nothing for a chain that version 1 cannot name.
std::optional<boost::json::object> requirements_v1(const Requirements&, const Resource&);
boost::json::object settlement(const Settlement&, int version, std::uint64_t chain_id);

// The value of a PAYMENT-SIGNATURE or X-PAYMENT header: base64 of the payload's JSON. Invalid says what is malformed.
web::Result<Payload> read_header(std::string_view header);
web::Result<Payload> parse_payload(const boost::json::value&);
// A PAYMENT-REQUIRED, PAYMENT-RESPONSE or X-PAYMENT-RESPONSE header.
std::string header_of(const boost::json::object&);

// The requirements in a request to a facilitator, in the form of that version; the chain is the facilitator's, by the
// name that the requirements must have for it. Invalid names the field.
web::Result<Requirements> parse_requirements(const boost::json::value&, int version, std::uint64_t chain_id);

// A payload of version 2 that pays these requirements.
boost::json::object payload_v2(const eip3009::Authorization&, const Requirements&);

// Why the payload was not made for these requirements; nothing if it was.
std::optional<std::string> mismatch(const Payload&, const Requirements&);

}  // namespace x402
