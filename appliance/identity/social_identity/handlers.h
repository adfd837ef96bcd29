#pragma once

#include <optional>
#include <string>

#include "appliance/identity/sign_in/http.h"
#include "appliance/identity/social_identity/routes.h"
#include "appliance/identity/token_gating/handlers.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace social_identity {

struct EndpointInfo {
  std::string endpoint, method = "POST", description;
  bool configured = false;
  std::optional<std::string> issuer, clientId;
};
BOOST_DESCRIBE_STRUCT(EndpointInfo, (), (endpoint, method, description, configured, issuer, clientId))

struct VerifyToken {
  web::Text<1, 65'536> idToken;
  std::optional<web::Text<1, 42>> walletAddress;
  std::optional<web::Text<1, 100>> inviteCode;
};
BOOST_DESCRIBE_STRUCT(VerifyToken, (), (idToken, walletAddress, inviteCode))

struct VerifiedToken {
  bool verified = true;
  std::string subject;
  std::optional<sign_in::LoggedInUser> user;
  std::optional<token_gating::HoldingView> tokenGating;
};
BOOST_DESCRIBE_STRUCT(VerifiedToken, (), (verified, subject, user, tokenGating))

struct RefreshTokens {
  web::Text<1, 8'192> refreshToken;
};
BOOST_DESCRIBE_STRUCT(RefreshTokens, (), (refreshToken))

struct RefreshedTokens {
  std::string accessToken;
  std::optional<std::string> idToken, refreshToken;
};
BOOST_DESCRIBE_STRUCT(RefreshedTokens, (), (accessToken, idToken, refreshToken))

web::Answer show_endpoint(const Services&, const std::string& path, const std::string& description,
                          const web::Request&);
web::Answer verify_token(const Services&, const web::Request&, VerifyToken);
web::Answer refresh_tokens(const Services&, const web::Request&, RefreshTokens);

}  // namespace social_identity
