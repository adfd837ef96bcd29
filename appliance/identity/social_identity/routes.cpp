#include "appliance/identity/social_identity/routes.h"

#include "appliance/identity/social_identity/handlers.h"
#include "web/routes/endpoint.h"

namespace social_identity {

namespace {

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
