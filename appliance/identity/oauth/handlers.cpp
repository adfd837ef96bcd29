#include "appliance/identity/oauth/handlers.h"

#include <boost/describe/enum_to_string.hpp>

#include "appliance/identity/sign_in/http.h"
#include "web/log.h"
#include "web/set_cookie.h"

namespace oauth {

namespace {

web::Response to_login(const RouteNames& names, const std::string& failure) {
  return web::redirect("/login?error=" + names.error_prefix + failure);
}

// Empty if the query cannot be parsed.
CallbackQuery callback_query(const web::Request& request) {
  auto query = web::parse_query<CallbackQuery>(request);
  return query ? std::move(*query) : CallbackQuery{};
}

}  // namespace

Browser browser_of(const web::Request& request, std::string_view cookie_name) {
  const auto cookies = request.cookies(cookie_name);
  return {.cookie = cookies.size() == 1 ? std::string(cookies.front()) : std::string(), .is_secure = request.secure};
}

web::Answer redirect_to_provider(const Services& services, const RouteNames& names, const web::Request& request) {
  if (!services.provider.is_configured()) co_return to_login(names, "NotConfigured");
  auto browser = browser_of(request, services.provider.cookie_name());
  const auto redirect = co_await services.provider.begin(std::move(browser));
  if (!redirect) {
    const auto& error = redirect.error();
    web::log::warning("sign_in_not_begun",
                      {{"provider", names.title}, {"reason", error.message}, {"detail", error.detail}});
    co_return to_login(names, "AuthError");
  }
  co_return web::with_cookie(web::redirect(redirect->location), redirect->cookie);
}

web::Answer finish_sign_in(const Services& services, const RouteNames& names, const web::Request& request) {
  if (!services.provider.is_configured()) co_return to_login(names, "NotConfigured");
  auto entry = audit::of_request(request, "sign-in by " + names.title, "");
  auto browser = browser_of(request, services.provider.cookie_name());
  auto query = callback_query(request);
  auto callback = co_await services.provider.finish(std::move(browser), std::move(query));
  std::string failure = "AuthError";
  web::Result<accounts::User> user = web::unauthenticated();
  if (const auto* refusal = std::get_if<Refusal>(&callback)) {
    failure = boost::describe::enum_to_string(refusal->failure, "");
    user = web::unauthenticated(failure + ": " + refusal->detail);
  } else {
    user = std::move(std::get<accounts::User>(callback));
  }
  auto client = sign_in::client_of(request);
  const auto result = co_await services.sign_in.begin(std::move(client), std::move(entry), std::move(user));
  if (!result) co_return to_login(names, failure);
  const std::string page = result->challenge ? "/login?second-factor" : "/dashboard";
  co_return sign_in::with_cookies(web::redirect(page), *result);
}

}  // namespace oauth
