#pragma once

#include <string>
#include <vector>

#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/oauth/callback.h"
#include "web/route.h"

namespace oauth {

struct ProviderRoutes {
  SignInProvider& provider;
  std::string path;  // of the way out; the way back is below it: /callback
  std::string name;  // as error values begin: "Idp"
  std::string title;
};

// Web: the way to a provider and back. Both answer with redirects to fixed places only: the provider, /dashboard,
// /login?second-factor, and /login?error=<name><Failure>. The services must outlive the rows.
std::vector<web::Route> routes(ProviderRoutes, sign_in::SignIn&, const agentbox::Guards&);

}  // namespace oauth
