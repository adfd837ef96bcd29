#pragma once

#include <string>
#include <vector>

#include "appliance/entrance/entrance.h"
#include "appliance/guards.h"
#include "appliance/oauth/callback.h"
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
std::vector<web::Route> routes(ProviderRoutes, entrance::Entrance&, const agentbox::Guards&);

}  // namespace oauth
