#include "appliance/foundation/crypto/jwt.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "appliance/foundation/crypto/base64url.h"
#include "web/ascii.h"
#include "web/routes/fields.h"

namespace crypto {

namespace {

constexpr std::size_t max_token_bytes = 64 * 1024;
constexpr std::array<std::string_view, 6> refused_headers{"crit", "b64", "jwk", "jku", "x5u", "x5c"};

web::Result<boost::json::object> json_part(std::string_view encoded, std::string_view what) {
  const auto text = from_base64url(encoded);
  if (!text || text->empty()) return web::invalid(std::string(what) + " is not base64url");
  auto json = web::parse_json(*text, what);
  if (!json) return json.error();
  if (!json->is_object()) return web::invalid(std::string(what) + " is not an object");
  return std::move(json->get_object());
}

// A header that is optional but must be a string.
web::Result<std::string> text_header(const boost::json::object& header, std::string_view name) {
  const auto* value = header.if_contains(name);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return web::invalid("The token's header " + std::string(name) + " is not a string");
  return std::string(value->get_string());
}

std::string media_type(std::string_view given) {
  const auto type = web::lower_case(given);
  return type.starts_with("application/") ? type.substr(12) : type;
}

}  // namespace

web::Result<UnverifiedJwt> UnverifiedJwt::parse(std::string_view text) {
  if (text.size() > max_token_bytes) return web::invalid("The token is too long");
  if (std::ranges::count(text, '.') != 2) return web::invalid("The token does not have three parts");
  const auto first = text.find('.'), second = text.find('.', first + 1);

  const auto header = json_part(text.substr(0, first), "The token's header");
  if (!header) return header.error();
  for (const auto name : refused_headers)
    if (header->contains(name)) return web::invalid("The token's header " + std::string(name) + " is not supported");
  const auto algorithm_name = text_header(*header, "alg"), key_id = text_header(*header, "kid"),
             type = text_header(*header, "typ");
  for (const auto* value : {&algorithm_name, &key_id, &type})
    if (!*value) return value->error();
  const auto algorithm = signature_algorithm(*algorithm_name);
  if (!algorithm) return web::invalid("The token is not signed with RS256, PS256, ES256 or EdDSA");

  auto claims = json_part(text.substr(first + 1, second - first - 1), "The token's claims");
  if (!claims) return claims.error();
  auto signature = from_base64url(text.substr(second + 1));
  if (!signature || signature->empty()) return web::invalid("The token has no signature");

  UnverifiedJwt token;
  token.algorithm_ = *algorithm;
  token.key_id_ = *key_id;
  token.type_ = media_type(*type);
  token.claims_ = std::move(*claims);
  token.signed_text_ = text.substr(0, second);
  token.signature_ = std::move(*signature);
  return token;
}

bool UnverifiedJwt::signed_by(const VerificationKey& key) const {
  return key.algorithm() == algorithm_ && key.verify(signed_text_, signature_);
}

const VerificationKey* UnverifiedJwt::key_in(const std::vector<VerificationKey>& keys) const {
  const VerificationKey* found = nullptr;
  for (const auto& key : keys) {
    if (key.algorithm() != algorithm_ || (!key_id_.empty() && key.id() != key_id_)) continue;
    if (found != nullptr) return nullptr;
    found = &key;
  }
  return found;
}

std::optional<std::chrono::sys_seconds> time_claim(const boost::json::object& claims, std::string_view name) {
  constexpr double year_10000 = 253'402'300'800;
  const auto* value = claims.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double seconds = std::floor(value->to_number<double>());
  if (!(seconds >= 0 && seconds < year_10000)) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

std::vector<std::string> audience(const boost::json::object& claims) {
  const auto* value = claims.if_contains("aud");
  if (value == nullptr) return {};
  if (value->is_string()) return {std::string(value->get_string())};
  if (!value->is_array()) return {};
  std::vector<std::string> names;
  for (const auto& item : value->get_array()) {
    if (!item.is_string()) return {};
    names.emplace_back(item.get_string());
  }
  return names;
}

}  // namespace crypto
