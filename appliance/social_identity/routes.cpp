#include "appliance/social_identity/routes.h"

#include "appliance/accounts/sign_in_answer.h"
#include "appliance/oidc/id_token.h"
#include "appliance/token_gating/routes.h"
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
  std::optional<accounts::LoggedInUser> user;
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

Answer verify(Services services, web::Request& request, Verify form) {
  if (!is_configured(services)) co_return not_configured();
  auto entry = audit::of_request(request, "sign-in by social identity", "");
  const auto since = services.identities.moment();
  oidc::Expected expected{.issuer = services.provider.issuer(), .client_id = services.client.id, .nonce = {}};
  const auto person =
      co_await oidc::verify_id_token(services.provider, form.idToken, std::move(expected), store::now());
  if (!person) {
    entry.outcome = person.error().message + ": " + person.error().detail;
    co_await services.audit.note(std::move(entry));
    co_return person.error();
  }
  Verified answer{.subject = person->subject, .user = {}, .tokenGating = {}};
  if (form.walletAddress) {
    auto holding = co_await token_gating::look_up(services.gating, std::move(*form.walletAddress));
    if (!holding) co_return holding.error();
    answer.tokenGating = std::move(*holding);
  }
  // Who has no address is verified, but no user.
  if (person->email.empty()) co_return web::reply(answer, 200);
  identities::Proved proved{.id = "social:" + services.provider.issuer() + " " + person->subject,
                            .email = person->email,
                            .email_is_proved = person->email_verified,
                            .name = person->name,
                            .refresh_token = {}};
  auto user = co_await services.identities.sign_in(std::move(proved), since);
  entry.subject = person->email;
  entry.user_id = user ? user->id : 0;
  if (!user) entry.outcome = user.error().message;
  co_await services.audit.note(std::move(entry));
  if (!user) co_return user.error();
  answer.user = accounts::LoggedInUser{std::to_string(user->id), user->name};
  const auto cookie = co_await accounts::start_session(services.sessions, request, std::move(*user));
  if (!cookie) co_return cookie.error();
  co_return web::reply(answer, 200).set("Set-Cookie", web::to_string(*cookie));
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
           "the gating token's holding is looked up. 401 for a token that is not right."),
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
