// The session's cookie in requests and responses. A page on a sibling host name, such as an agent's, can plant a second
// cookie of its name for the domain above both. Over https a companion comes with the cookie, which only the box's own
// host can set (__Host-, RFC 6265bis section 4.1.3.2); it says which of two is the box's own.
#pragma once

#include <optional>
#include <string_view>

#include "web/protocol/http.h"

namespace accounts {

inline constexpr std::string_view companion_cookie = "__Host-app-session";

// The token; a view into the request. Nothing without a session cookie; if the companion names none of them; and if
// there are several without a companion.
std::optional<std::string_view> session_token(const web::Request&);

// The response with the session's cookie, or with what clears it, and over https the same with the companion.
web::Response with_session_cookie(web::Response, const web::Cookie& session);

// The response with what clears session cookies of the domains above the request's host, if the request carries more
// than one session cookie. The box's own is for its host alone and stays.
web::Response without_planted_cookies(web::Response, const web::Request&);

}  // namespace accounts
