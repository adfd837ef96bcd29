// The session's cookie in requests.
#pragma once

#include <optional>
#include <string_view>

#include "web/protocol/http.h"

namespace accounts {

// The token; nothing without exactly one session cookie. A view into the request.
std::optional<std::string_view> session_token(const web::Request&);

}  // namespace accounts
