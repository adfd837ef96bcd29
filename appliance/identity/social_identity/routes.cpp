#include "appliance/identity/social_identity/routes.h"

#include "appliance/identity/social_identity/handlers.h"
#include "web/endpoint.h"

namespace social_identity {

namespace {

const web::RateLimit sign_in_limit{.group = "social-id", .limit = 60};

constexpr const char* verify_description =
    "A token with an email signs in, as `user`; one without is only verified. With walletAddress the holding of the "
    "gating token is looked up. 401 for an invalid token, and for one that was used before. Users with a second factor "
    "are asked for it: see POST /api/auth/second-factor.";

web::Endpoint info(EndpointInfo answer) {
  const auto handler = [answer = std::move(answer)](const web::Request&) -> identity::Answer {
    co_return web::reply(answer, 200);
  };
  return web::plain(handler).returns<EndpointInfo>();
}

}  // namespace

std::vector<web::Route> web_routes(const Services& services) {
  const auto& none = services.guards.none;
  const std::string verify = "/api/auth/social-id/verify", refresh = "/api/auth/social-id/refresh";
  return {
      {web::GET, verify, none, nullptr,
       info(endpoint_info(services, verify, "Takes idToken, an ID token of the issuer, and optionally walletAddress.")),
       "About the verification of social identities"},
      {web::POST, verify, none, &sign_in_limit,
       web::body<VerifyToken>(identity::bind(services, verify_token))
           .returns<VerifiedToken>()
           .describe(verify_description),
       "Sign in with a social identity"},
      {web::GET, refresh, none, nullptr,
       info(endpoint_info(services, refresh, "Takes refreshToken, a refresh token of the issuer.")),
       "About refreshing the tokens of social identities"},
      {web::POST, refresh, none, &sign_in_limit,
       web::body<RefreshTokens>(identity::bind(services, refresh_tokens))
           .returns<RefreshedTokens>()
           .describe("401 when the issuer refuses the token."),
       "Refresh a social identity's tokens"},
  };
}

}  // namespace social_identity
