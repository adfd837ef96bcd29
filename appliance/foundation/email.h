#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentbox {

// The address in lower case, or nothing when it is not one we take: printable ASCII, at most 254 characters, a dotted
// local part of at most 64, and a domain of at least two labels.
std::optional<std::string> normalised_email(std::string_view text);

// Addresses that stand for a wallet: nobody registers one by password, or they would own the wallet's account before
// the wallet does.
bool is_reserved_email(std::string_view normalised);

}  // namespace agentbox
