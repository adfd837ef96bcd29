#include "appliance/identity/oauth/routes.h"

#include <boost/describe/enum_to_string.hpp>

#include "web/endpoint.h"
#include "web/log.h"

namespace oauth {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit visits{.group = "oauth", .limit = 60};

web::Response to_login(const std::string& error) { return web::redirect("/login?error=" + error); }

}  // namespace

std::vector<web::Route> routes(ProviderRoutes given, sign_in::SignIn& sign_in, const agentbox::Guards& guards) {
  const auto begin = [given](web::Request& request) -> Answer {
    if (!given.provider.is_configured()) co_return to_login(given.name + "NotConfigured");
    auto departure = co_await given.provider.begin(request);
    if (!departure) {
      web::log::warning(
          "sign_in_not_begun",
          {{"provider", given.title}, {"reason", departure.error().message}, {"detail", departure.error().detail}});
      co_return to_login(given.name + "AuthError");
    }
    co_return web::redirect(departure->location).set("Set-Cookie", web::to_string(departure->cookie));
  };
  const auto finish = [given, &sign_in](web::Request& request) -> Answer {
    if (!given.provider.is_configured()) co_return to_login(given.name + "NotConfigured");
    auto entry = audit::of_request(request, "sign-in by " + given.title, "");
    auto arrival = co_await given.provider.finish(request, callback_query(request));
    std::string failure = "AuthError";
    web::Result<accounts::User> proved = web::unauthenticated();
    if (const auto* refusal = std::get_if<Refusal>(&arrival)) {
      failure = boost::describe::enum_to_string(refusal->failure, "");
      proved = web::unauthenticated(failure + ": " + refusal->detail);
    } else {
      proved = std::move(std::get<accounts::User>(arrival));
    }
    const auto entered = co_await sign_in.enter(request, std::move(entry), std::move(proved));
    if (!entered) co_return to_login(given.name + failure);
    co_return web::redirect(entered->question ? "/login?second-factor" : "/dashboard")
        .set("Set-Cookie", web::to_string(entered->cookie));
  };
  return {
      {web::GET, given.path, guards.none, &visits,
       web::plain(begin).describe("Redirects to the provider, or to /login?error=" + given.name + "NotConfigured."),
       "Sign in with the " + given.title},
      {web::GET, given.path + "/callback", guards.none, &visits,
       web::plain(finish).describe("Redirects to /dashboard with a session, to /login?second-factor for who has one "
                                   "(see POST /api/auth/second-factor), or to /login?error= with " +
                                   given.name + "AuthFailed, " + given.name + "TokenFailed, " + given.name +
                                   "NoEmail or " + given.name + "AuthError."),
       "The way back from the " + given.title},
  };
}

}  // namespace oauth
