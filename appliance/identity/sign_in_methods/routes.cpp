#include "appliance/identity/sign_in_methods/routes.h"

#include "appliance/identity/sign_in_methods/handlers.h"

namespace sign_in_methods {

namespace {

constexpr auto methods =
    "For sign-in pages. `providers` are those that are configured; a browser goes to `url` to sign in with one. "
    "`wallet` "
    "and `password` always work, and `socialId` needs SOCIAL_ID_ISSUER. `registration` is open, invite or closed. "
    "Without "
    "`sendsMail` the administrator passes on links for new passwords.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/auth/methods", guards.none, nullptr,
       web::plain(on(show_methods)).returns<MethodsView>().describe(methods), "Ways of signing in"},
  };
}

}  // namespace sign_in_methods
