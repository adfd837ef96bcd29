#include "appliance/payments/acceptance/x402.h"

#include <algorithm>
#include <array>
#include <utility>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/base64.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace x402 {

namespace json = boost::json;

namespace {

constexpr std::string_view mime_type = "application/json";

json::object domain_of(const Requirements& required) {
  return {{"name", required.name}, {"version", required.version}};
}

bool names(std::string_view text, const crypto::EthereumAddress& address) {
  return crypto::EthereumAddress::parse(text) == address;
}

web::Error malformed(std::string what) { return web::invalid("The payment is malformed: " + std::move(what)); }

struct RequirementsV2 {
  web::Text<1, 20> scheme;
  web::Text<1, 40> network;
  web::Text<1, 80> amount;
  web::Text<1, 64> asset, payTo;
};
BOOST_DESCRIBE_STRUCT(RequirementsV2, (), (scheme, network, amount, asset, payTo))

struct RequirementsV1 {
  web::Text<1, 20> scheme;
  web::Text<1, 40> network;
  web::Text<1, 80> maxAmountRequired;
  web::Text<1, 64> asset, payTo;
};
BOOST_DESCRIBE_STRUCT(RequirementsV1, (), (scheme, network, maxAmountRequired, asset, payTo))

constexpr const char* where_required = "paymentRequirements";

// The members that both versions have.
template <class Body>
web::Result<Requirements> checked(const Body& required, std::string amount, std::string_view network,
                                  std::uint64_t chain_id) {
  const std::string where(where_required);
  if (required.scheme != scheme) return web::invalid(where + ".scheme must be " + std::string(scheme));
  if (required.network != network) return web::invalid(where + ".network must be " + std::string(network));
  const auto token = crypto::EthereumAddress::parse(required.asset),
             receiver = crypto::EthereumAddress::parse(required.payTo);
  if (!token) return web::invalid(where + ".asset must be a contract's address");
  if (!receiver) return web::invalid(where + ".payTo must be an address");
  return Requirements{.chain_id = chain_id, .asset = *token, .pay_to = *receiver, .amount = std::move(amount)};
}

constexpr std::array<std::pair<std::uint64_t, std::string_view>, 18> old_names{{{1, "ethereum"},
                                                                                {14, "flare"},
                                                                                {137, "polygon"},
                                                                                {143, "monad"},
                                                                                {988, "stable"},
                                                                                {1328, "sei-testnet"},
                                                                                {1329, "sei"},
                                                                                {2741, "abstract"},
                                                                                {3338, "peaq"},
                                                                                {4689, "iotex"},
                                                                                {8453, "base"},
                                                                                {11124, "abstract-testnet"},
                                                                                {42220, "celo"},
                                                                                {43113, "avalanche-fuji"},
                                                                                {43114, "avalanche"},
                                                                                {80002, "polygon-amoy"},
                                                                                {84532, "base-sepolia"},
                                                                                {11155111, "sepolia"}}};

}  // namespace

std::string network_name(std::uint64_t chain_id, int version) {
  return version == 1 ? std::string(old_network_of(chain_id)) : network_of(chain_id);
}

json::object requirements_v2(const Requirements& required) {
  return {{"scheme", scheme},
          {"network", network_of(required.chain_id)},
          {"amount", required.amount},
          {"asset", required.asset.checksummed()},
          {"payTo", required.pay_to.checksummed()},
          {"maxTimeoutSeconds", required.max_timeout_seconds},
          {"extra", domain_of(required)}};
}

json::object payment_required_v2(const Requirements& required, const Resource& resource, std::string_view error) {
  json::object about{{"url", resource.url}, {"description", resource.description}, {"mimeType", mime_type}};
  return {{"x402Version", 2},
          {"error", error},
          {"resource", std::move(about)},
          {"accepts", json::array{requirements_v2(required)}}};
}

std::optional<json::object> requirements_v1(const Requirements& required, const Resource& resource) {
  const auto network = old_network_of(required.chain_id);
  if (network.empty()) return std::nullopt;
  return json::object{{"scheme", scheme},
                      {"network", network},
                      {"maxAmountRequired", required.amount},
                      {"resource", resource.url},
                      {"description", resource.description},
                      {"mimeType", mime_type},
                      {"outputSchema", json::object()},
                      {"payTo", required.pay_to.checksummed()},
                      {"maxTimeoutSeconds", required.max_timeout_seconds},
                      {"asset", required.asset.checksummed()},
                      {"extra", domain_of(required)}};
}

json::object settlement(const Settlement& settled, int version, std::uint64_t chain_id) {
  json::object answer{{"success", settled.success}, {"transaction", settled.transaction}};
  answer["network"] = network_name(chain_id, version);
  if (!settled.payer.empty()) answer["payer"] = settled.payer;
  if (!settled.success) answer["errorReason"] = settled.reason;
  if (settled.success && version != 1) answer["amount"] = settled.amount;
  return answer;
}

std::string header_of(const json::object& body) { return crypto::to_base64(json::serialize(body)); }

web::Result<Payload> read_header(std::string_view header) {
  const auto text = crypto::from_base64(header);
  if (!text) return malformed("its header is not base64");
  const auto value = web::parse_json(*text, "it");
  if (!value) return malformed(value.error().message);
  return parse_payload(*value);
}

web::Result<Payload> parse_payload(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return malformed("it is not a JSON object");
  const auto* version = object->if_contains("x402Version");
  const bool is_v1 = version != nullptr && *version == 1, is_v2 = version != nullptr && *version == 2;
  if (!is_v1 && !is_v2) return malformed("x402Version must be 1 or 2");
  const auto* accepted = web::object_member(*object, "accepted");
  if (is_v2 && accepted == nullptr) return malformed("accepted must be an object");
  const auto* payload = web::object_member(*object, "payload");
  if (payload == nullptr) return malformed("payload must be an object");
  const auto* fields = payload->if_contains("authorization");
  if (fields == nullptr) return malformed("payload.authorization is required");
  auto authorization =
      eip3009::parse_authorization(*fields, web::string_member(*payload, "signature"), "payload.authorization");
  if (!authorization) return malformed(authorization.error().message);
  const auto& terms = is_v2 ? *accepted : *object;
  return Payload{.version = is_v1 ? 1 : 2,
                 .scheme = web::string_member(terms, "scheme"),
                 .network = web::string_member(terms, "network"),
                 .accepted = is_v2 ? *accepted : json::object(),
                 .authorization = std::move(*authorization)};
}

web::Result<Requirements> parse_requirements(const json::value& value, int version, std::uint64_t chain_id) {
  const auto network = network_name(chain_id, version);
  if (version == 1) {
    const auto required = web::parse_value<RequirementsV1>(value, where_required);
    if (!required) return required.error();
    return checked(*required, required->maxAmountRequired, network, chain_id);
  }
  const auto required = web::parse_value<RequirementsV2>(value, where_required);
  if (!required) return required.error();
  return checked(*required, required->amount, network, chain_id);
}

json::object payload_v2(const eip3009::Authorization& authorization, const Requirements& required) {
  json::object payload{{"signature", chain::to_hex(authorization.signature)},
                       {"authorization", eip3009::to_json(authorization)}};
  return {{"x402Version", 2}, {"accepted", requirements_v2(required)}, {"payload", std::move(payload)}};
}

std::optional<std::string> mismatch(const Payload& payload, const Requirements& required) {
  const auto network = network_name(required.chain_id, payload.version);
  if (payload.scheme != scheme) return "The payment's scheme is not " + std::string(scheme) + ".";
  if (payload.network != network) return "The payment is on another network than " + network + ".";
  if (payload.version == 1) return std::nullopt;
  const auto& accepted = payload.accepted;
  if (web::string_member(accepted, "amount") != required.amount) return "The payment accepted another amount.";
  if (!names(web::string_member(accepted, "asset"), required.asset)) return "The payment accepted another token.";
  if (!names(web::string_member(accepted, "payTo"), required.pay_to)) return "The payment accepted another receiver.";
  return std::nullopt;
}

std::string network_of(std::uint64_t chain_id) { return "eip155:" + std::to_string(chain_id); }

std::string_view old_network_of(std::uint64_t chain_id) {
  const auto* const found = std::ranges::find(old_names, chain_id, [](const auto& one) { return one.first; });
  return found == old_names.end() ? std::string_view() : found->second;
}

}  // namespace x402
