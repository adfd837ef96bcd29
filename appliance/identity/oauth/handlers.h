#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/oauth/callback.h"
#include "appliance/identity/sign_in/sign_in.h"
#include "appliance/identity/site.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace oauth {

// What the rows of one provider depend on.
struct Services {
  SignInProvider& provider;
  sign_in::SignIn& sign_in;
  const agentbox::Site& site;
};

struct RouteNames {
  std::string path;          // of the redirect to the provider; its callback is below it: /callback
  std::string error_prefix;  // of the error values: "Idp"
  std::string title;         // in the audit log and in descriptions: "identity provider"
};

// Whatever the query holds, the answer is a redirect.
struct RedirectQuery {
  std::optional<web::Text<1, 100>> inviteCode;
};
BOOST_DESCRIBE_STRUCT(RedirectQuery, (), (inviteCode))

// The flow's cookie of a request.
Browser browser_of(const web::Request&, std::string_view cookie_name);

web::Answer redirect_to_provider(const Services&, const RouteNames&, const web::Request&);
web::Answer finish_sign_in(const Services&, const RouteNames&, const web::Request&);

// The redirect to the provider and its callback. Both answer with redirects, to fixed places only: the provider,
// /dashboard, /login?second-factor, and /login?error=<error_prefix><Failure>.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&, const RouteNames&);

}  // namespace oauth
