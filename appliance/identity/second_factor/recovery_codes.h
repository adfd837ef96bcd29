// Recovery codes in case phone and passkeys are lost: each replaces the second factor once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/second_factor/records.h"

namespace second_factor {

inline constexpr std::size_t recovery_code_count = 10;

// Generates new codes that replace all earlier ones; only their hashes are stored. Each has 16 characters of [a-z0-9].
std::vector<std::string> generate_codes(Factor&);
// The same if the factor has no codes left; otherwise empty.
std::vector<std::string> generate_codes_if_none(Factor&);
// Marks the code as used; false if it is not one of the factor's.
bool spend_recovery_code(Factor&, std::string_view code);

}  // namespace second_factor
