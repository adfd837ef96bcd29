#include "appliance/identity/sign_in/http.h"

#include "appliance/access/session_cookie.h"
#include "web/protocol/set_cookie.h"
#include "web/routes/reply.h"

namespace sign_in {

namespace {

constexpr std::size_t longest_user_agent = 500;

std::string printable(std::string_view text) {
  std::string kept(text.substr(0, longest_user_agent));
  std::erase_if(kept, [](unsigned char c) { return c < 0x20 || c > 0x7E; });
  return kept;
}

}  // namespace

Client client_of(const web::Request& request) {
  const auto tickets = request.cookies(ticket_cookie);
  return {.address = request.client_address,
          .is_secure = request.secure,
          .session_token = std::string(accounts::session_token(request).value_or("")),
          .ticket = tickets.size() == 1 ? std::string(tickets.front()) : std::string(),
          .device = device_of(request),
          .user_agent = printable(request.header("User-Agent"))};
}

// Of two, one may have been planted from a sibling host name.
std::string device_of(const web::Request& request) {
  const auto devices = request.cookies(accounts::device_cookie);
  return devices.size() == 1 ? std::string(devices.front()) : std::string();
}

web::Response with_cookies(web::Response response, const SignInResult& result) {
  // The cookie is the session's, or that of a sign-in that goes on.
  auto with_first = result.challenge ? web::with_cookie(std::move(response), result.cookie)
                                     : accounts::with_session_cookie(std::move(response), result.cookie);
  return result.device ? web::with_cookie(std::move(with_first), *result.device) : with_first;
}

LoggedInUser view(const accounts::User& user) { return {std::to_string(user.id), user.name}; }

web::Response challenge(const SignInResult& result) {
  return with_cookies(web::error_response(*result.challenge), result);
}

web::Response reply(const SignInResult& result) {
  if (result.challenge) return challenge(result);
  const LoggedIn answer{.user = view(result.user)};
  return with_cookies(web::reply(answer, 200), result);
}

}  // namespace sign_in
