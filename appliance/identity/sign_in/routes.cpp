#include "appliance/identity/sign_in/routes.h"

#include "web/endpoint.h"

namespace sign_in {

namespace {

const web::RateLimit attempts{.group = "sign-in-factor", .limit = 30};

}  // namespace

std::vector<web::Route> routes(SignIn& sign_in, const agentbox::Guards& guards) {
  const auto finish = [&sign_in](web::Request& request,
                                  second_factor::Proof proof) -> web::Task<web::Result<web::Response>> {
    const auto entered = co_await sign_in.finish(request, std::move(proof));
    if (!entered) co_return entered.error();
    co_return answer(*entered).set("Set-Cookie", web::to_string(SignIn::cleared_ticket(request.secure)));
  };
  return {{web::POST, "/api/auth/second-factor", guards.none, &attempts,
           web::body<second_factor::Proof>(finish).returns<LoggedIn>().describe(
               "Sign-in with a wallet, a social identity or a provider asks who has a second factor for it: 401, "
               "SECOND_FACTOR_REQUIRED, or the redirect to /login?second-factor, with a cookie that is good here for "
               "five minutes. `code` or `passkey` as of sign-in; without either the answer is that 401 once more, with "
               "`passkey` for a browser."),
           "Sign in: the second factor"}};
}

}  // namespace sign_in
