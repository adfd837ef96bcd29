#include "appliance/identity/social_identity/routes.h"

#include "appliance/identity/oidc/id_token.h"
#include "appliance/identity/token_gating/routes.h"
#include "web/endpoint.h"

namespace social_identity {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit sign_ins{.group = "social-id", .limit = 60};

struct Metadata {
  std::string endpoint, method = "POST", description;
  bool configured = false;
  std::optional<std::string> issuer, clientId;
};
BOOST_DESCRIBE_STRUCT(Metadata, (), (endpoint, method, description, configured, issuer, clientId))

struct Verify {
  web::Text<1, 65'536> idToken;
  std::optional<web::Text<1, 42>> walletAddress;
};
BOOST_DESCRIBE_STRUCT(Verify, (), (idToken, walletAddress))

struct Verified {
  bool verified = true;
  std::string subject;
  std::optional<sign_in::LoggedInUser> user;
  std::optional<token_gating::HoldingView> tokenGating;
};
BOOST_DESCRIBE_STRUCT(Verified, (), (verified, subject, user, tokenGating))

struct Refresh {
  web::Text<1, 8'192> refreshToken;
};
BOOST_DESCRIBE_STRUCT(Refresh, (), (refreshToken))

struct Refreshed {
  std::string accessToken;
  std::optional<std::string> idToken, refreshToken;
};
BOOST_DESCRIBE_STRUCT(Refreshed, (), (accessToken, idToken, refreshToken))

bool is_configured(const Services& services) {
  return services.provider.is_configured() && !services.client.id.empty();
}

web::Error not_configured() {
  return web::unavailable(
      "Social identity is not configured on this box: set SOCIAL_ID_ISSUER and SOCIAL_ID_CLIENT_ID");
}

web::Endpoint metadata(const Services& services, std::string path, std::string description) {
  Metadata answer{.endpoint = std::move(path),
                  .description = std::move(description),
                  .configured = is_configured(services),
                  .issuer = {},
                  .clientId = {}};
  if (answer.configured) {
    answer.issuer = services.provider.issuer();
    answer.clientId = services.client.id;
  }
  return web::plain([answer](web::Request&) -> Answer { co_return web::reply(answer, 200); }).returns<Metadata>();
}

// The token's person, who brings it for the first time. unauthenticated and bad_gateway as of oidc::verify_id_token.
web::Task<web::Result<oidc::Person>> person_of(Services services, std::string token) {
  oidc::Expected expected{.issuer = services.provider.issuer(), .client_id = services.client.id, .nonce = {}};
  auto person = co_await oidc::verify_id_token(services.provider, token, std::move(expected), store::now());
  if (!person) co_return person.error();
  const bool is_first =
      co_await services.once.use("id token", std::string(oidc::signed_part(token)), person->good_until);
  if (!is_first) co_return web::unauthenticated("The ID token was used before: please get a new one");
  co_return std::move(*person);
}

Answer verify(Services services, web::Request& request, Verify form) {
  if (!is_configured(services)) co_return not_configured();
  auto entry = audit::of_request(request, "sign-in by social identity", "");
  const auto since = services.identities.session_epoch();
  Verified answer;
  std::optional<web::Error> refused;
  if (form.walletAddress) {
    auto holding = co_await token_gating::look_up(services.gating, std::move(*form.walletAddress));
    if (holding)
      answer.tokenGating = std::move(*holding);
    else
      refused = holding.error();
  }
  web::Result<oidc::Person> person = web::unauthenticated();
  if (!refused) {
    person = co_await person_of(services, std::move(form.idToken));
    if (!person) refused = person.error();
  }
  if (refused) {
    entry.outcome = refused->message + (refused->detail.empty() ? "" : ": " + refused->detail);
    co_await services.audit.note(std::move(entry));
    co_return std::move(*refused);
  }
  answer.subject = person->subject;
  // Who has no address is verified, but no user.
  if (person->email.empty()) {
    entry.act = "social identity verified";
    entry.subject = person->subject;
    co_await services.audit.note(std::move(entry));
    co_return web::reply(answer, 200);
  }
  entry.subject = person->email;
  identities::Proved proved{.id = "social:" + services.provider.issuer() + " " + person->subject,
                            .email = person->email,
                            .email_is_proved = person->email_verified,
                            .name = person->name,
                            .refresh_token = {}};
  auto user = co_await services.identities.sign_in(std::move(proved), since);
  const auto entered = co_await services.sign_in.enter(request, std::move(entry), std::move(user));
  if (!entered) co_return entered.error();
  if (entered->question) co_return sign_in::ask(*entered);
  answer.user = sign_in::LoggedInUser{std::to_string(entered->user.id), entered->user.name};
  co_return web::reply(answer, 200).set("Set-Cookie", web::to_string(entered->cookie));
}

Answer refresh(Services services, web::Request&, Refresh form) {
  if (!is_configured(services)) co_return not_configured();
  const auto endpoints = co_await services.provider.endpoints();
  if (!endpoints) co_return endpoints.error();
  oauth::Client client = services.client;
  client.sends_basic = (*endpoints)->takes_basic && !client.secret.empty();
  const auto tokens = co_await oauth::refresh(std::move(client), (*endpoints)->token, std::move(form.refreshToken));
  if (!tokens) co_return tokens.error();
  const auto unless_empty = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  const Refreshed answer{tokens->access, unless_empty(tokens->id), unless_empty(tokens->refresh)};
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> routes(Services services) {
  const auto& none = services.guards.none;
  const std::string verify_path = "/api/auth/social-id/verify", refresh_path = "/api/auth/social-id/refresh";
  const auto verifying = [services](web::Request& request, Verify form) {
    return verify(services, request, std::move(form));
  };
  const auto refreshing = [services](web::Request& request, Refresh form) {
    return refresh(services, request, std::move(form));
  };
  return {
      {web::GET, verify_path, none, nullptr,
       metadata(services, verify_path, "Takes idToken, an ID token of the issuer, and optionally walletAddress."),
       "About the verification of social identities"},
      {web::POST, verify_path, none, &sign_ins,
       web::body<Verify>(verifying).returns<Verified>().describe(
           "A token with an email signs in, as user; one without is verified and no more. With walletAddress "
           "the gating token's holding is looked up. 401 for a token that is not right, and for one that comes again. "
           "Who has a second factor is asked for it: see POST /api/auth/second-factor."),
       "Sign in with a social identity"},
      {web::GET, refresh_path, none, nullptr,
       metadata(services, refresh_path, "Takes refreshToken, a refresh token of the issuer."),
       "About the refreshing of social identities"},
      {web::POST, refresh_path, none, &sign_ins,
       web::body<Refresh>(refreshing).returns<Refreshed>().describe("401 when the issuer refuses the token."),
       "Refresh a social identity's tokens"},
  };
}

}  // namespace social_identity
