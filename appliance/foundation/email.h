#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentbox {

// The address in lower case, or nothing if it is not accepted. Accepted: printable ASCII, at most 254 characters, a
// dotted local part of at most 64, and a domain of at least two labels.
std::optional<std::string> normalised_email(std::string_view text);

// Addresses of wallet accounts. They cannot be registered with a password, or another user could own a wallet's account
// before the wallet does.
bool is_reserved_email(std::string_view normalised);

}  // namespace agentbox
