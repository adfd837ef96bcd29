#include "appliance/identity/sign_in/handlers.h"

#include "appliance/identity/sign_in/http.h"
#include "web/protocol/set_cookie.h"
#include "web/routes/endpoint.h"

namespace sign_in {

namespace {

web::Answer verify_second_factor(const Services& services, const web::Request& request, second_factor::Proof proof) {
  auto client = client_of(request);
  const auto result = co_await services.sign_in.resume(std::move(client), std::move(proof));
  if (!result) co_return result.error();
  co_return web::with_cookie(reply(*result), SignIn::cleared_ticket(request.secure));
}

const web::RateLimit attempt_limit{.group = "sign-in-factor", .limit = 30, .limits_guesses = true};

constexpr const char* second_factor_description =
    "Signing in with a wallet, a social identity or a provider asks users with a second factor for it: 401, "
    "SECOND_FACTOR_REQUIRED, or the redirect to /login?second-factor, with a cookie that is valid here for five "
    "minutes. `code` or `passkey` as in sign-in; without either the answer is the same 401 again, with `passkey` for "
    "a browser.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/auth/second-factor", guards.none, &attempt_limit,
       web::body<second_factor::Proof>(on(verify_second_factor))
           .returns<LoggedIn>()
           .describe(second_factor_description),
       "Sign in: the second factor"},
  };
}

}  // namespace sign_in
