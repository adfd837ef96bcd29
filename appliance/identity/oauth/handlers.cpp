#include "appliance/identity/oauth/handlers.h"

#include <boost/describe/enum_to_string.hpp>

#include "appliance/identity/sign_in/http.h"
#include "web/log.h"
#include "web/set_cookie.h"

namespace oauth {

namespace {

web::Response to_login(const Services& services, const std::string& failure) {
  return web::redirect("/login?error=" + services.name + failure);
}

}  // namespace

identity::Answer redirect_to_provider(const Services& services, const web::Request& request) {
  if (!services.provider.is_configured()) co_return to_login(services, "NotConfigured");
  const auto redirect = co_await services.provider.begin(request);
  if (!redirect) {
    const auto& error = redirect.error();
    web::log::warning("sign_in_not_begun",
                      {{"provider", services.title}, {"reason", error.message}, {"detail", error.detail}});
    co_return to_login(services, "AuthError");
  }
  co_return web::with_cookie(web::redirect(redirect->location), redirect->cookie);
}

identity::Answer finish_sign_in(const Services& services, const web::Request& request) {
  if (!services.provider.is_configured()) co_return to_login(services, "NotConfigured");
  auto entry = audit::of_request(request, "sign-in by " + services.title, "");
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
  if (!result) co_return to_login(services, failure);
  const std::string page = result->challenge ? "/login?second-factor" : "/dashboard";
  co_return sign_in::with_cookies(web::redirect(page), *result);
}

}  // namespace oauth
