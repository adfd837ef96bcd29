// Signing in with a social identity: an ID token that the client got from SOCIAL_ID_ISSUER itself.
#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/oauth/client.h"
#include "appliance/identity/oidc/provider.h"
#include "appliance/identity/security/replay_guard.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/route.h"

namespace social_identity {

// The services of the rows below; all outlive the rows.
struct Services {
  oidc::Provider& provider;
  oauth::Client client;
  identities::Identities& identities;
  token_gating::TokenGating& gating;
  security::ReplayGuard& once;
  sign_in::SignIn& sign_in;
  audit::Audit& audit;
  const agentbox::Guards& guards;
};

// Web.
std::vector<web::Route> routes(Services);

}  // namespace social_identity
