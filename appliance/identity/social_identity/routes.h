#pragma once

#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/social_identity/social_identity.h"
#include "appliance/identity/token_gating/token_gating.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace social_identity {

// What the rows depend on; all of it must outlive them.
struct Services {
  SocialIdentity& social;
  token_gating::TokenGating& gating;
  sign_in::SignIn& sign_in;
  audit::Audit& audit;
};

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace social_identity
