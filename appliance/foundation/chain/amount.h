// Token amounts: 256-bit whole numbers and their decimal notation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chain {

// A 32-byte word as decimal digits.
std::string to_digits(std::string_view word);
// The digits with the point moved: ("1250000500000", 6) is "1250000.5".
std::string with_point(std::string digits, unsigned decimals);
// The other way: ("1250000.5", 6) is "1250000500000". Nothing for what is no plain decimal number, and for more
// fractional digits than the token has.
std::optional<std::string> without_point(std::string_view amount, unsigned decimals);
// Compares whole numbers, written without leading zeros.
bool at_least(std::string_view digits, std::string_view other);

}  // namespace chain
