#include "appliance/identity/oauth/routes.h"

#include "appliance/identity/oauth/handlers.h"
#include "web/endpoint.h"

namespace oauth {

namespace {

const web::RateLimit sign_in_limit{.group = "oauth", .limit = 60};

std::string callback_description(const std::string& name) {
  return "Redirects to /dashboard with a session, to /login?second-factor for users with a second factor (see POST "
         "/api/auth/second-factor), or to /login?error= with " +
         name + "AuthFailed, " + name + "TokenFailed, " + name + "NoEmail or " + name + "AuthError.";
}

}  // namespace

std::vector<web::Route> web_routes(const Services& services) {
  const auto& none = services.guards.none;
  const auto& name = services.name;
  return {
      {web::GET, services.path, none, &sign_in_limit,
       web::plain(identity::bind(services, redirect_to_provider))
           .describe("Redirects to the provider, or to /login?error=" + name + "NotConfigured."),
       "Sign in with the " + services.title},
      {web::GET, services.path + "/callback", none, &sign_in_limit,
       web::plain(identity::bind(services, finish_sign_in)).describe(callback_description(name)),
       "Callback of the " + services.title},
  };
}

}  // namespace oauth
