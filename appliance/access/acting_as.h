// Whom callers of the backend act for, as they say. The key proves the caller; these names are for the record, and for
// the contract's rule about administrators.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace agentbox {

inline constexpr std::string_view acting_as_header = "X-Agentbox-As", user_email_header = "x-user-email",
                                  user_id_header = "x-user-id", user_role_header = "x-user-role";

// Caller::credential of requests with an internal key, and its beginning for operator keys: the key's name follows.
inline constexpr std::string_view internal_caller = "internal", operator_caller = "operator:";

// How the record names administrators who use their session; the user's id follows.
inline constexpr std::string_view admin_caller = "admin:";

inline constexpr const char* acting_name_form = "1 to 100 visible ASCII characters or spaces";

inline bool is_acting_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name.find_first_not_of(' ') != std::string_view::npos &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

// What a header says, for the record: at most 100 characters, with '?' for what is not visible ASCII.
inline std::string recordable(std::string_view value) {
  std::string text(value.substr(0, 100));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace agentbox
