#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transactions {

// The most that a transaction takes from its sender, in wei: a word. `value` is big-endian; a sum of more than 256 bits
// is the largest word.
std::string cost_of(std::string_view value, std::uint64_t gas, std::uint64_t max_fee);

}  // namespace transactions
