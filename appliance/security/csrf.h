// The token a browser sends in X-CSRF-Token with requests it marks as cross-site.
#pragma once

#include <string>
#include <string_view>

namespace security {

// Follows from the session cookie's own secret: only who can read that session's answers knows it, it needs no storage,
// and it ends with the session.
std::string csrf_token(std::string_view session_token);
bool csrf_token_valid(std::string_view session_token, std::string_view csrf_token);

}  // namespace security
