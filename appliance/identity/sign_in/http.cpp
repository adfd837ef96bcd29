#include "appliance/identity/sign_in/http.h"

#include "appliance/identity/accounts/session_cookie.h"
#include "web/reply.h"
#include "web/set_cookie.h"

namespace sign_in {

Client client_of(const web::Request& request) {
  const auto tickets = request.cookies(ticket_cookie);
  return {.address = request.client_address,
          .is_secure = request.secure,
          .session_token = std::string(accounts::session_token(request).value_or("")),
          .ticket = tickets.size() == 1 ? std::string(tickets.front()) : std::string()};
}

LoggedInUser view(const accounts::User& user) { return {std::to_string(user.id), user.name}; }

web::Response challenge(const SignInResult& result) {
  return web::with_cookie(web::error_response(*result.challenge), result.cookie);
}

web::Response reply(const SignInResult& result) {
  if (result.challenge) return challenge(result);
  const LoggedIn answer{.user = view(result.user)};
  return web::with_cookie(web::reply(answer, 200), result.cookie);
}

}  // namespace sign_in
