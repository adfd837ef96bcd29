#include "appliance/identity/accounts/session_cookie.h"

#include "appliance/identity/accounts/sessions.h"

namespace accounts {

std::optional<std::string_view> session_token(const web::Request& request) {
  const auto cookies = request.cookies(session_cookie);
  // A second cookie may have been planted from a sibling host name: neither can be trusted.
  if (cookies.size() != 1 || cookies.front().empty()) return std::nullopt;
  return cookies.front();
}

}  // namespace accounts
