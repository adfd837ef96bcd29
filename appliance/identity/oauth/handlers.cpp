#include "appliance/identity/oauth/handlers.h"

#include <algorithm>
#include <boost/describe/enum_to_string.hpp>
#include <cctype>

#include "appliance/identity/sign_in/http.h"
#include "web/log.h"
#include "web/protocol/request_head.h"
#include "web/protocol/set_cookie.h"

namespace oauth {

namespace {

// Keeps an invite code from the redirect to the callback.
constexpr std::string_view invite_cookie = "agentbox-invite";

web::Response with_invite(web::Response response, std::optional<std::string> code, bool is_secure) {
  if (!code) return response;
  return web::with_cookie(std::move(response), {.name = std::string(invite_cookie),
                                                .value = std::move(*code),
                                                .max_age = request_lifetime,
                                                .secure = is_secure});
}

// The code has served once somebody is signed in with it.
web::Response without_invite(web::Response response, const web::Request& request) {
  if (request.cookies(invite_cookie).empty()) return response;
  return web::with_cookie(std::move(response),
                          {.name = std::string(invite_cookie), .value = "", .secure = request.secure});
}

// Only letters, digits and hyphens can be sent back in a cookie as they are.
std::optional<std::string> invite_code_of(const web::Request& request) {
  auto query = web::parse_query<RedirectQuery>(request);
  if (!query || !query->inviteCode) return std::nullopt;
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  if (!std::ranges::all_of(*query->inviteCode, is_plain)) return std::nullopt;
  return std::move(*query->inviteCode);
}

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
  const auto codes = request.cookies(invite_cookie);
  return {.cookie = cookies.size() == 1 ? std::string(cookies.front()) : std::string(),
          .is_secure = request.secure,
          .invite_code = codes.size() == 1 ? std::optional<std::string>(codes.front()) : std::nullopt};
}

web::Answer redirect_to_provider(const Services& services, const RouteNames& names, const web::Request& request) {
  if (!services.provider.is_configured()) co_return to_login(names, "NotConfigured");
  // The callback comes to the site's own address, where the browser must have the flow's cookie.
  const auto asked = agentbox::origin_of("http://" + std::string(request.header("Host")));
  if (services.site.is_ours(asked) && asked != services.site.origin())
    co_return web::redirect(services.site.url(web::origin_form(request)));
  auto browser = browser_of(request, services.provider.cookie_name());
  const auto redirect = co_await services.provider.begin(std::move(browser));
  if (!redirect) {
    const auto& error = redirect.error();
    web::log::warning("sign_in_not_begun",
                      {{"provider", names.title}, {"reason", error.message}, {"detail", error.detail}});
    co_return to_login(names, "AuthError");
  }
  auto response = web::with_cookie(web::redirect(redirect->location), redirect->cookie);
  co_return with_invite(std::move(response), invite_code_of(request), request.secure);
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
  co_return without_invite(sign_in::with_cookies(web::redirect(page), *result), request);
}

}  // namespace oauth
