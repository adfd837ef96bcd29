#include "appliance/identity/oauth/routes.h"

#include "appliance/identity/oauth/handlers.h"
#include "web/endpoint.h"

namespace oauth {

namespace {

const web::RateLimit sign_in_limit{.group = "oauth", .limit = 60};

std::string callback_description(const std::string& prefix) {
  return "Redirects to /dashboard with a session, to /login?second-factor for users with a second factor (see POST "
         "/api/auth/second-factor), or to /login?error= with " +
         prefix + "AuthFailed, " + prefix + "TokenFailed, " + prefix + "NoEmail or " + prefix + "AuthError; with " +
         prefix + "Busy beyond the rate limit.";
}

// Whatever the query holds, the answer is a redirect.
template <class Handler>
web::Endpoint redirect(Handler handler, std::string description) {
  auto endpoint = web::plain(std::move(handler));
  endpoint.query_schema = web::schema_of<RedirectQuery>;
  return std::move(endpoint).describe(std::move(description));
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on,
                                   const RouteNames& names) {
  const auto& none = guards.none;
  const auto& prefix = names.error_prefix;
  return {
      {web::GET, names.path, none, &sign_in_limit,
       redirect(on(redirect_to_provider, names),
                "Redirects to the provider, or to /login?error=" + prefix +
                    "NotConfigured. `inviteCode` admits a new user where REGISTRATION is invite."),
       "Sign in with the " + names.title},
      {web::GET, names.path + "/callback", none, &sign_in_limit,
       web::plain(on(finish_sign_in, names)).describe(callback_description(prefix)), "Callback of the " + names.title},
  };
}

}  // namespace oauth
