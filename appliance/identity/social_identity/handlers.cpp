#include "appliance/identity/social_identity/handlers.h"

#include "web/protocol/set_cookie.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace social_identity {

namespace {

web::Error not_configured() {
  return web::unavailable(
      "Social identity is not configured on this box: set SOCIAL_ID_ISSUER and SOCIAL_ID_CLIENT_ID");
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// What the form proves: the holding of its wallet, if it names one, and the token's subject.
struct Verification {
  std::optional<token_gating::HoldingView> holding;
  oidc::Person person;
};
web::Task<web::Result<Verification>> verify(const Services& services, VerifyToken form) {
  Verification verification;
  if (form.walletAddress) {
    auto holding = co_await token_gating::look_up(services.gating, std::move(*form.walletAddress));
    if (!holding) co_return holding.error();
    verification.holding = std::move(*holding);
  }
  auto person = co_await services.social.verify(std::move(form.idToken));
  if (!person) co_return person.error();
  verification.person = std::move(*person);
  co_return verification;
}

web::Answer show_endpoint(const Services& services, const std::string& path, const std::string& description,
                          const web::Request&) {
  const bool is_configured = services.social.is_configured();
  const EndpointInfo answer{.endpoint = path,
                            .description = description,
                            .configured = is_configured,
                            .issuer = is_configured ? std::optional(services.social.issuer()) : std::nullopt,
                            .clientId = is_configured ? std::optional(services.social.client_id()) : std::nullopt};
  co_return web::reply(answer, 200);
}

web::Answer verify_token(const Services& services, const web::Request& request, VerifyToken form) {
  if (!services.social.is_configured()) co_return not_configured();
  auto entry = audit::of_request(request, "sign-in by social identity", "");
  const auto since = services.social.session_epoch();
  std::optional<std::string> invite_code = std::move(form.inviteCode);
  const auto verified = co_await verify(services, std::move(form));
  if (!verified) {
    const web::Error& error = verified.error();
    entry.outcome = error.message + (error.detail.empty() ? "" : ": " + error.detail);
    co_await services.audit.note(std::move(entry));
    co_return error;
  }
  const oidc::Person& person = verified->person;
  VerifiedToken answer{.subject = person.subject, .user = {}, .tokenGating = verified->holding};
  if (person.email.empty()) {  // verified, but not a user: there is no address to sign in with
    entry.act = "social identity verified";
    entry.subject = person.subject;
    co_await services.audit.note(std::move(entry));
    co_return web::reply(answer, 200);
  }
  entry.subject = person.email;
  auto user = co_await services.social.user_of(person, since, std::move(invite_code));
  auto client = sign_in::client_of(request);
  const auto result = co_await services.sign_in.begin(std::move(client), std::move(entry), std::move(user));
  if (!result) co_return result.error();
  if (result->challenge) co_return sign_in::challenge(*result);
  answer.user = sign_in::view(result->user);
  co_return sign_in::with_cookies(web::reply(answer, 200), *result);
}

web::Answer refresh_tokens(const Services& services, const web::Request&, RefreshTokens form) {
  if (!services.social.is_configured()) co_return not_configured();
  const auto tokens = co_await services.social.refresh(std::move(form.refreshToken));
  if (!tokens) co_return tokens.error();
  const RefreshedTokens answer{tokens->access, unless_empty(tokens->id), unless_empty(tokens->refresh)};
  co_return web::reply(answer, 200);
}

const web::RateLimit sign_in_limit{.group = "social-id", .limit = 60};

constexpr const char* verify_description =
    "A token with an email signs in, as `user`; one without is only verified. With walletAddress the holding of the "
    "gating token is looked up. 401 for an invalid token, and for one that was used before. Users with a second factor "
    "are asked for it: see POST /api/auth/second-factor.";
constexpr auto about_verify = "Takes idToken, an ID token of the issuer, and optionally walletAddress.";
constexpr auto about_refresh = "Takes refreshToken, a refresh token of the issuer.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  const std::string verify = "/api/auth/social-id/verify", refresh = "/api/auth/social-id/refresh";
  return {
      {web::GET, verify, none, nullptr,
       web::plain(on(show_endpoint, verify, std::string(about_verify))).returns<EndpointInfo>(),
       "About the verification of social identities"},
      {web::POST, verify, none, &sign_in_limit,
       web::body<VerifyToken>(on(verify_token)).returns<VerifiedToken>().describe(verify_description),
       "Sign in with a social identity"},
      {web::GET, refresh, none, nullptr,
       web::plain(on(show_endpoint, refresh, std::string(about_refresh))).returns<EndpointInfo>(),
       "About refreshing the tokens of social identities"},
      {web::POST, refresh, none, &sign_in_limit,
       web::body<RefreshTokens>(on(refresh_tokens))
           .returns<RefreshedTokens>()
           .describe("401 when the issuer refuses the token."),
       "Refresh a social identity's tokens"},
  };
}

}  // namespace social_identity
