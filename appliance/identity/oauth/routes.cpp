
#include "appliance/identity/oauth/handlers.h"
#include "web/routes/endpoint.h"

namespace oauth {

namespace {

const web::RateLimit sign_in_limit{.group = "oauth", .limit = 60};

std::string callback_description(const std::string& prefix) {
  return "Redirects to /dashboard with a session, to /login?second-factor for users with a second factor (see POST "
         "/api/auth/second-factor), or to /login?error= with " +
         prefix + "AuthFailed, " + prefix + "TokenFailed, " + prefix + "NoEmail or " + prefix + "AuthError; with " +
         prefix + "Busy beyond the rate limit.";
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on,
                                   const RouteNames& names) {
  const auto& none = guards.none;
  const auto& prefix = names.error_prefix;
  return {
      {web::GET, names.path, none, &sign_in_limit,
       web::plain(on(redirect_to_provider, names))
           .describe("Redirects to the provider, or to /login?error=" + prefix +
                     "NotConfigured. The query's `inviteCode` admits a new user where REGISTRATION is invite."),
       "Sign in with the " + names.title},
      {web::GET, names.path + "/callback", none, &sign_in_limit,
       web::plain(on(finish_sign_in, names)).describe(callback_description(prefix)), "Callback of the " + names.title},
  };
}

}  // namespace oauth
