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

}  // namespace

web::Answer redirect_to_provider(const Services& services, const RouteNames& names, const web::Request& request) {
  if (!services.provider.is_configured()) co_return to_login(names, "NotConfigured");
  const auto redirect = co_await services.provider.begin(request);
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
  auto callback = co_await services.provider.finish(request, callback_query(request));
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
  co_return web::with_cookie(web::redirect(page), result->cookie);
}

}  // namespace oauth
