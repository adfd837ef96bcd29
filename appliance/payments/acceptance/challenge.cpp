#include "appliance/payments/acceptance/challenge.h"

#include <algorithm>
#include <vector>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/timestamp.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"
#include "web/routes/reply.h"

namespace mpp {

namespace json = boost::json;

namespace {

constexpr std::string_view payment_scheme = "payment ";
constexpr std::int64_t usdc_decimals = 6;

// With the names in order. Names and texts here are ASCII, for which the order of bytes is that of RFC 8785.
json::object in_order(const json::object& object) {
  std::vector<std::string_view> names;
  for (const auto& member : object) names.push_back(member.key());
  std::ranges::sort(names);
  json::object ordered;
  for (const auto name : names) {
    const auto& value = object.at(name);
    ordered[name] = value.is_object() ? json::value(in_order(value.get_object())) : value;
  }
  return ordered;
}

void append_parameter(std::string& header, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  header.append(header.ends_with(' ') ? "" : ", ").append(name).append("=\"");
  for (const char c : value) {
    if (c == '"' || c == '\\') header += '\\';
    header += c;
  }
  header += '"';
}

struct ChallengeEcho {
  web::Text<1, 200> id;
  web::Text<1, 300> realm;
  web::Text<1, 50> method, intent;
  web::Text<1, 8'000> request;
  std::optional<web::Text<0, 50>> expires;
  std::optional<web::Text<0, 200>> digest;
  std::optional<web::Text<0, 2'000>> opaque;
};
BOOST_DESCRIBE_STRUCT(ChallengeEcho, (), (id, realm, method, intent, request, expires, digest, opaque))

struct CredentialBody {
  ChallengeEcho challenge;
  std::optional<web::Text<0, 200>> source;
  json::object payload;
};
BOOST_DESCRIBE_STRUCT(CredentialBody, (), (challenge, source, payload))

template <class Text>
std::string value_or_empty(const std::optional<Text>& value) {
  return value ? std::string(*value) : std::string();
}

}  // namespace

std::string header_of(const Challenge& challenge) {
  std::string header = "Payment ";
  append_parameter(header, "id", challenge.id);
  append_parameter(header, "realm", challenge.realm);
  append_parameter(header, "method", challenge.method);
  append_parameter(header, "intent", challenge.intent);
  append_parameter(header, "request", challenge.request);
  append_parameter(header, "description", challenge.description);
  append_parameter(header, "digest", challenge.digest);
  append_parameter(header, "expires", challenge.expires);
  append_parameter(header, "opaque", challenge.opaque);
  return header;
}

std::optional<std::string_view> payment_credential(std::string_view authorization) {
  if (!web::starts_ignoring_case(authorization, payment_scheme)) return std::nullopt;
  return authorization.substr(payment_scheme.size());
}

web::Result<Credential> parse_credential(std::string_view encoded) {
  const auto text = crypto::from_base64url(encoded);
  if (!text) return web::invalid("The credential is not base64url without padding");
  const auto value = web::parse_json(*text, "The credential");
  if (!value) return value.error();
  auto body = web::parse_value<CredentialBody>(*value);
  if (!body) return body.error();
  auto& echo = body->challenge;
  Challenge challenge{.id = std::move(echo.id),
                      .realm = std::move(echo.realm),
                      .method = std::move(echo.method),
                      .intent = std::move(echo.intent),
                      .request = std::move(echo.request),
                      .expires = value_or_empty(echo.expires),
                      .digest = value_or_empty(echo.digest),
                      .opaque = value_or_empty(echo.opaque),
                      .description = {}};
  return Credential{
      .challenge = std::move(challenge), .source = value_or_empty(body->source), .payload = std::move(body->payload)};
}

std::string encode_request(const json::object& request) {
  return crypto::to_base64url(json::serialize(in_order(request)));
}

std::string digest_of(std::string_view body) { return "sha-256=:" + crypto::to_base64(crypto::sha256(body)) + ":"; }

std::string Challenges::id_of(const Challenge& challenge) const {
  std::string bound;
  for (const auto* part : {&challenge.realm, &challenge.method, &challenge.intent, &challenge.request,
                           &challenge.expires, &challenge.digest})
    bound.append(*part).append("|");
  return crypto::to_base64url(crypto::hmac_sha256(secret_, bound.append(challenge.opaque)));
}

Challenge Challenges::issue(std::string realm, std::string method, const json::object& request, std::string digest,
                            std::string description, store::Time now) const {
  Challenge challenge{.id = {},
                      .realm = std::move(realm),
                      .method = std::move(method),
                      .intent = std::string(intent),
                      .request = encode_request(request),
                      .expires = web::iso8601(now + challenge_life),
                      .digest = std::move(digest),
                      .opaque = {},
                      .description = std::move(description)};
  challenge.id = id_of(challenge);
  return challenge;
}

bool Challenges::has_issued(const Challenge& challenge) const {
  return crypto::constant_time_equal(challenge.id, id_of(challenge));
}

bool has_expired(const Challenge& challenge, store::Time now) {
  const auto end = agentbox::parse_timestamp(challenge.expires);
  return !end || *end <= now;
}

json::object evm_request(std::uint64_t chain_id, const crypto::EthereumAddress& token,
                         const crypto::EthereumAddress& receiver, std::string_view amount) {
  json::object details{
      {"chainId", chain_id}, {"credentialTypes", json::array{"authorization"}}, {"decimals", usdc_decimals}};
  return {{"amount", amount},
          {"currency", token.checksummed()},
          {"recipient", receiver.checksummed()},
          {"methodDetails", std::move(details)}};
}

web::Result<eip3009::Authorization> authorization_of(const Credential& credential) {
  const auto& payload = credential.payload;
  if (web::string_member(payload, "type") != "authorization") return web::invalid("payload.type must be authorization");
  auto authorization =
      eip3009::parse_authorization(json::value(payload), web::string_member(payload, "signature"), "payload");
  if (!authorization) return authorization.error();
  const auto& challenge = credential.challenge;
  if (authorization->nonce != crypto::keccak256(challenge.id + challenge.realm))
    return web::invalid("payload.nonce must be the hash of the challenge");
  return authorization;
}

}  // namespace mpp
