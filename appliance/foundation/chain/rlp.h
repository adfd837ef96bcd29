// Recursive length prefix: how Ethereum writes transactions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chain::rlp {

std::string text(std::string_view bytes);
// A whole number: its bytes without leading zeros.
std::string number(std::uint64_t);
std::string number(std::string_view big_endian);
// `items`: encoded, one after the other.
std::string list(std::string_view items);

}  // namespace chain::rlp
