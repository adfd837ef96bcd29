// Codes for when phone and passkeys are gone: each stands for the second factor once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/second_factor/records.h"

namespace second_factor {

inline constexpr std::size_t recovery_code_count = 10;

// Fresh ones in the place of all before; only their hashes stay. Each has 16 characters of [a-z0-9].
std::vector<std::string> give_codes(Factor&);
// The same for a factor that has none left; else none.
std::vector<std::string> give_codes_if_none(Factor&);
// Marks the code as used; false when it is none of the factor's.
bool spend_recovery_code(Factor&, std::string_view code);

}  // namespace second_factor
