#pragma once

#include <string>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/identity/oauth/callback.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace oauth {

// What the rows of one provider depend on.
struct Services {
  SignInProvider& provider;
  sign_in::SignIn& sign_in;
};

struct RouteNames {
  std::string path;          // of the redirect to the provider; its callback is below it: /callback
  std::string error_prefix;  // of the error values: "Idp"
  std::string title;         // in the audit log and in descriptions: "identity provider"
};

// The redirect to the provider and its callback. Both answer with redirects, to fixed places only: the provider,
// /dashboard, /login?second-factor, and /login?error=<error_prefix><Failure>.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&, const RouteNames&);

}  // namespace oauth
