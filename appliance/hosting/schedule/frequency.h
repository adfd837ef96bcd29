// Intervals: "90m", "3h", "1d".
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace schedule {

// A whole number and one of m, h and d, without a sign or leading zeros, from a minute to a year (365 days). nullopt
// for anything else.
std::optional<std::chrono::minutes> parse_frequency(std::string_view text);

}  // namespace schedule
