// Signing in with a social identity: an ID token that the client got from SOCIAL_ID_ISSUER itself.
#pragma once

#include <vector>

#include "appliance/audit/audit.h"
#include "appliance/entrance/entrance.h"
#include "appliance/guards.h"
#include "appliance/identities/identities.h"
#include "appliance/oauth/client.h"
#include "appliance/oidc/provider.h"
#include "appliance/security/once.h"
#include "appliance/token_gating/token_gating.h"
#include "web/route.h"

namespace social_identity {

// The services of the rows below; all outlive the rows.
struct Services {
  oidc::Provider& provider;
  oauth::Client client;
  identities::Identities& identities;
  token_gating::TokenGating& gating;
  security::Once& once;
  entrance::Entrance& entrance;
  audit::Audit& audit;
  const agentbox::Guards& guards;
};

// Web.
std::vector<web::Route> routes(Services);

}  // namespace social_identity
