#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/sign_in/http.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/social_identity/social_identity.h"
#include "appliance/identity/token_gating/handlers.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace social_identity {

// What the rows depend on; all of it must outlive them.
struct Services {
  SocialIdentity& social;
  token_gating::TokenGating& gating;
  sign_in::SignIn& sign_in;
  audit::Audit& audit;
};

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

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace social_identity
