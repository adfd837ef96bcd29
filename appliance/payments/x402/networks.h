// The names of chains in x402: CAIP-2 ("eip155:8453") since version 2, words ("base") before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace x402 {

std::string network_of(std::uint64_t chain_id);
// Empty for a chain without such a name, which version 1 cannot express.
std::string_view old_network_of(std::uint64_t chain_id);

}  // namespace x402
