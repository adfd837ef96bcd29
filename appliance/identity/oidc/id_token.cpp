#include "appliance/identity/oidc/id_token.h"

#include <algorithm>

#include "web/json.h"

namespace oidc {

namespace {

constexpr std::chrono::seconds clock_skew{60};
constexpr std::size_t longest_subject = 255;

web::Error invalid_id_token(std::string why) {
  web::Error error = web::unauthenticated("The ID token was refused");
  error.detail = std::move(why);
  return error;
}

}  // namespace

std::optional<std::string> refuse_claims(const crypto::UnverifiedJwt& token, const Expected& expected,
                                         store::Time now) {
  const auto& claims = token.claims();
  // Other tokens of the same issuer for the same client are not for signing in.
  if (!token.type().empty() && token.type() != "jwt") return "it is a token of type " + token.type();
  if (claims.contains("events")) return "it is a security event";
  if (!same_issuer(web::string_member(claims, "iss"), expected.issuer)) return "another issuer";
  const auto names = crypto::audience(claims);
  if (std::ranges::find(names, expected.client_id) == names.end()) return "another audience";
  if ((names.size() > 1 || claims.contains("azp")) && web::string_member(claims, "azp") != expected.client_id)
    return "another authorized party";
  const auto expires = crypto::time_claim(claims, "exp"), issued = crypto::time_claim(claims, "iat");
  if (!expires || *expires + clock_skew <= now) return "it has expired, or never does";
  if (!issued || *issued > now + clock_skew) return "it was issued in the future, or at no time";
  if (claims.contains("nbf")) {
    const auto begins = crypto::time_claim(claims, "nbf");
    if (!begins || *begins > now + clock_skew) return "it is not valid yet";
  }
  if (!expected.nonce.empty() && web::string_member(claims, "nonce") != expected.nonce) return "another nonce";
  const std::string subject = web::string_member(claims, "sub");
  if (subject.empty() || subject.size() > longest_subject) return "no subject";
  return std::nullopt;
}

web::Task<web::Result<Person>> verify_id_token(Provider& provider, std::string text, Expected expected,
                                               store::Time now) {
  const auto token = crypto::UnverifiedJwt::parse(text);
  if (!token) co_return invalid_id_token(token.error().message);
  if (const auto problem = refuse_claims(*token, expected, now)) co_return invalid_id_token(*problem);
  const auto key = co_await provider.keys().key_of(*token);
  if (!key) co_return key.error();
  if (!*key) co_return invalid_id_token("no key of that id");
  if (!token->signed_by(**key)) co_return invalid_id_token("the signature is wrong");
  Person person = person_of(token->claims());
  if (const auto expires = crypto::time_claim(token->claims(), "exp")) person.good_until = *expires + clock_skew;
  co_return person;
}

std::string_view signed_part(std::string_view token) { return token.substr(0, token.rfind('.')); }

namespace {

constexpr std::size_t max_groups = 1'000;

// A list of texts, or one text. Others in the list are left out.
std::optional<std::vector<std::string>> groups_in(const boost::json::object& claims) {
  const auto* value = claims.if_contains("groups");
  if (!value) return std::nullopt;
  std::vector<std::string> found;
  if (value->is_string()) found.emplace_back(value->get_string());
  if (value->is_array())
    for (const auto& one : value->get_array())
      if (one.is_string() && found.size() < max_groups) found.emplace_back(one.get_string());
  return found;
}

}  // namespace

Person person_of(const boost::json::object& claims) {
  const auto* verified = claims.if_contains("email_verified");
  return {.subject = web::string_member(claims, "sub"),
          .email = web::string_member(claims, "email"),
          .name = web::string_member(claims, "name"),
          .email_verified =
              verified != nullptr && (*verified == boost::json::value(true) || *verified == boost::json::value("true")),
          .groups = groups_in(claims)};
}

}  // namespace oidc
