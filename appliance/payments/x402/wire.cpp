#include "appliance/payments/x402/wire.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/base64.h"
#include "appliance/payments/x402/networks.h"
#include "web/routes/fields.h"

namespace x402 {

namespace json = boost::json;

namespace {

constexpr std::string_view mime_type = "application/json";

json::object domain_of(const Requirements& required) {
  return {{"name", required.name}, {"version", required.version}};
}

std::string text_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

const json::object* object_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
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
template <class Given>
web::Result<Requirements> checked(const Given& given, std::string amount, std::string_view network,
                                  std::uint64_t chain_id) {
  const std::string where(where_required);
  if (given.scheme != scheme) return web::invalid(where + ".scheme must be " + std::string(scheme));
  if (given.network != network) return web::invalid(where + ".network must be " + std::string(network));
  const auto token = crypto::EthereumAddress::parse(given.asset),
             receiver = crypto::EthereumAddress::parse(given.payTo);
  if (!token) return web::invalid(where + ".asset must be a contract's address");
  if (!receiver) return web::invalid(where + ".payTo must be an address");
  return Requirements{.chain_id = chain_id, .asset = *token, .pay_to = *receiver, .amount = std::move(amount)};
}

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
  const auto* accepted = object_in(*object, "accepted");
  if (is_v2 && accepted == nullptr) return malformed("accepted must be an object");
  const auto* payload = object_in(*object, "payload");
  if (payload == nullptr) return malformed("payload must be an object");
  const auto* fields = payload->if_contains("authorization");
  if (fields == nullptr) return malformed("payload.authorization is required");
  auto authorization = eip3009::parse_authorization(*fields, text_in(*payload, "signature"), "payload.authorization");
  if (!authorization) return malformed(authorization.error().message);
  const auto& terms = is_v2 ? *accepted : *object;
  return Payload{.version = is_v1 ? 1 : 2,
                 .scheme = text_in(terms, "scheme"),
                 .network = text_in(terms, "network"),
                 .accepted = is_v2 ? *accepted : json::object(),
                 .authorization = std::move(*authorization)};
}

web::Result<Requirements> parse_requirements(const json::value& value, int version, std::uint64_t chain_id) {
  const auto network = network_name(chain_id, version);
  if (version == 1) {
    const auto given = web::parse_value<RequirementsV1>(value, where_required);
    if (!given) return given.error();
    return checked(*given, given->maxAmountRequired, network, chain_id);
  }
  const auto given = web::parse_value<RequirementsV2>(value, where_required);
  if (!given) return given.error();
  return checked(*given, given->amount, network, chain_id);
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
  if (text_in(accepted, "amount") != required.amount) return "The payment accepted another amount.";
  if (!names(text_in(accepted, "asset"), required.asset)) return "The payment accepted another token.";
  if (!names(text_in(accepted, "payTo"), required.pay_to)) return "The payment accepted another receiver.";
  return std::nullopt;
}

}  // namespace x402
