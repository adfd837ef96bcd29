#include "appliance/demo/fake_services/identity_service.h"

#include <boost/json.hpp>

#include "appliance/demo/fake_services/page.h"
#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/oauth/form.h"
#include "store/clock.h"
#include "web/markup.h"

namespace demo {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t seed_bytes = 32, max_grants = 100;
constexpr auto code_lifetime = 60s;
constexpr auto token_lifetime = 3600s;
constexpr auto key_id = "demo";

struct PersonClaims {
  const char *id, *name, *email;
};
constexpr PersonClaims people[] = {{"lea", "Lea Brandt", "lea@outside.example"},
                                   {"tom", "Tom Okafor", "tom@outside.example"}};

const PersonClaims* person_named(std::string_view id) {
  for (const auto& each : people)
    if (id == each.id) return &each;
  return nullptr;
}

// The form of JwtSigner::from_text: seed and public key.
crypto::JwtSigner signer_of(const std::string& seed) {
  return *crypto::JwtSigner::from_text(crypto::to_base64(seed + crypto::SigningKey(seed).public_key()));
}

web::Response token_error(std::string_view error) { return web::json(json::object{{"error", error}}, 400); }

}  // namespace

IdentityService::IdentityService(const KnownBox& box)
    : box_(box),
      client_secret_(crypto::random_token()),
      key_seed_(crypto::random_bytes(seed_bytes)),
      public_key_(crypto::SigningKey(key_seed_).public_key()),
      signer_(signer_of(key_seed_)) {}

std::vector<web::Route> IdentityService::routes() {
  using web::Request;
  return {
      row(
          web::GET, "/idp/.well-known/openid-configuration", [this](Request&) { return discovery(); }, "Endpoints"),
      row(
          web::GET, "/idp/keys", [this](Request&) { return keys(); }, "Keys of its tokens"),
      row(
          web::GET, "/idp/authorize", [this](Request& request) { return choose_person(request.query); },
          "Choose who signs in"),
      row(
          web::GET, "/idp/continue", [this](Request& request) { return send_back(request.query); },
          "Back to the box, with a code"),
      row(
          web::POST, "/idp/token",
          [this](Request& request) {
            return tokens(std::string(request.header("Authorization")), std::string(request.body));
          },
          "Tokens for a code"),
  };
}

web::Answer IdentityService::discovery() const {
  co_return web::json(json::object{{"issuer", issuer_},
                                   {"authorization_endpoint", issuer_ + "/authorize"},
                                   {"token_endpoint", issuer_ + "/token"},
                                   {"jwks_uri", issuer_ + "/keys"},
                                   {"response_types_supported", {"code"}},
                                   {"subject_types_supported", {"public"}},
                                   {"id_token_signing_alg_values_supported", {"EdDSA"}},
                                   {"scopes_supported", {"openid", "email", "profile"}},
                                   {"token_endpoint_auth_methods_supported", {"client_secret_basic"}},
                                   {"code_challenge_methods_supported", {"S256"}}});
}

web::Answer IdentityService::keys() const {
  json::array all;
  all.push_back(json::object{{"kty", "OKP"},
                             {"crv", "Ed25519"},
                             {"alg", "EdDSA"},
                             {"use", "sig"},
                             {"kid", key_id},
                             {"x", crypto::to_base64url(public_key_)}});
  co_return web::json(json::object{{"keys", std::move(all)}});
}

std::string IdentityService::problem_of(const Form& form) const {
  const auto box = box_.get();
  if (!box) return "the box is not there yet";
  if (value_of(form, "client_id") != client_id_) return "client_id is not the box's";
  if (value_of(form, "redirect_uri") != box->site + "/api/auth/idp/callback") return "redirect_uri is not the box's";
  if (value_of(form, "response_type") != "code") return "response_type must be code";
  if (value_of(form, "code_challenge_method") != "S256" || value_of(form, "code_challenge").empty())
    return "code_challenge is required, with the method S256";
  return {};
}

web::Answer IdentityService::choose_person(std::string_view query) const {
  if (const auto problem = problem_of(form_of(query)); !problem.empty()) co_return web::invalid(problem);
  std::string list;
  for (const auto& each : people)
    list += "<li><a href=\"" +
            web::escape_attribute(issuer_ + "/continue?" + std::string(query) + "&person=" + each.id) + "\">" +
            each.name + "</a>, " + each.email + "</li>";
  co_return page("Who are you?", "<p>This identity provider exists inside the demo only.</p><ul>" + list + "</ul>");
}

web::Answer IdentityService::send_back(std::string_view query) {
  const auto form = form_of(query);
  if (const auto problem = problem_of(form); !problem.empty()) co_return web::invalid(problem);
  const auto* person = person_named(value_of(form, "person"));
  if (!person) co_return web::invalid("person must be one of those of the page before");
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(grants_, [now](const auto& each) { return now - each.second.made_at > code_lifetime; });
  if (grants_.size() >= max_grants) co_return web::unavailable("Too many people are signing in");
  const auto code = crypto::random_token();
  const auto redirect_uri = value_of(form, "redirect_uri");
  grants_.emplace(code, Grant{.person = person->id,
                              .nonce = value_of(form, "nonce"),
                              .code_challenge = value_of(form, "code_challenge"),
                              .redirect_uri = redirect_uri,
                              .made_at = now});
  const oauth::Parameters parameters{{"code", code}, {"state", value_of(form, "state")}, {"iss", issuer_}};
  co_return web::redirect(oauth::with_query(redirect_uri, parameters));
}

web::Answer IdentityService::tokens(std::string authorization, std::string body) {
  const auto expected = "Basic " + crypto::to_base64(oauth::encoded(client_id_) + ":" + oauth::encoded(client_secret_));
  if (!crypto::constant_time_equal(authorization, expected)) co_return token_error("invalid_client");
  const auto form = form_of(body);
  if (value_of(form, "grant_type") != "authorization_code") co_return token_error("unsupported_grant_type");
  const auto granted = grants_.extract(value_of(form, "code"));  // a code counts once
  if (granted.empty()) co_return token_error("invalid_grant");
  const auto& grant = granted.mapped();
  const auto challenge = crypto::to_base64url(crypto::sha256(value_of(form, "code_verifier")));
  const bool is_fresh = std::chrono::steady_clock::now() - grant.made_at <= code_lifetime;
  if (!is_fresh || challenge != grant.code_challenge || value_of(form, "redirect_uri") != grant.redirect_uri)
    co_return token_error("invalid_grant");
  co_return web::json(json::object{{"access_token", crypto::random_token()},
                                   {"token_type", "Bearer"},
                                   {"expires_in", token_lifetime.count()},
                                   {"id_token", id_token_of(grant)}});
}

std::string IdentityService::id_token_of(const Grant& grant) const {
  const auto* person = person_named(grant.person);
  const auto now = std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch();
  json::object claims{{"iss", issuer_},
                      {"sub", person->id},
                      {"aud", client_id_},
                      {"iat", now.count()},
                      {"exp", (now + token_lifetime).count()},
                      {"email", person->email},
                      {"email_verified", true},
                      {"name", person->name}};
  if (!grant.nonce.empty()) claims["nonce"] = grant.nonce;
  return signer_.sign(json::object{{"kid", key_id}}, claims);
}

}  // namespace demo
