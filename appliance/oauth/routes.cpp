#include "appliance/oauth/routes.h"

#include <boost/describe/enum_to_string.hpp>

#include "appliance/accounts/sign_in_answer.h"
#include "web/endpoint.h"
#include "web/log.h"

namespace oauth {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit visits{.group = "oauth", .limit = 60};

web::Response to_login(const std::string& error) { return web::redirect("/login?error=" + error); }

}  // namespace

std::vector<web::Route> routes(ProviderRoutes given, accounts::Sessions& sessions, audit::Audit& audit,
                               const agentbox::Guards& guards) {
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
  const auto finish = [given, &sessions, &audit](web::Request& request) -> Answer {
    if (!given.provider.is_configured()) co_return to_login(given.name + "NotConfigured");
    auto entry = audit::of_request(request, "sign-in by " + given.title, "");
    auto arrival = co_await given.provider.finish(request, callback_query(request));
    if (const auto* refusal = std::get_if<Refusal>(&arrival)) {
      entry.outcome = boost::describe::enum_to_string(refusal->failure, "") + (": " + refusal->detail);
      co_await audit.note(std::move(entry));
      co_return to_login(given.name + boost::describe::enum_to_string(refusal->failure, ""));
    }
    auto& user = std::get<accounts::User>(arrival);
    entry.user_id = user.id;
    entry.subject = user.email;
    const auto cookie = co_await accounts::start_session(sessions, request, std::move(user));
    if (!cookie) entry.outcome = cookie.error().message;
    co_await audit.note(std::move(entry));
    if (!cookie) co_return to_login(given.name + "AuthError");
    co_return web::redirect("/dashboard").set("Set-Cookie", web::to_string(*cookie));
  };
  return {
      {web::GET, given.path, guards.none, &visits,
       web::plain(begin).describe("Redirects to the provider, or to /login?error=" + given.name + "NotConfigured."),
       "Sign in with the " + given.title},
      {web::GET, given.path + "/callback", guards.none, &visits,
       web::plain(finish).describe("Redirects to /dashboard with a session, or to /login?error= with " + given.name +
                                   "AuthFailed, " + given.name + "TokenFailed, " + given.name + "NoEmail or " +
                                   given.name + "AuthError."),
       "The way back from the " + given.title},
  };
}

}  // namespace oauth
