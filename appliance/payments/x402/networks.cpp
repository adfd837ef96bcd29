#include "appliance/payments/x402/networks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace x402 {

namespace {

constexpr std::array<std::pair<std::uint64_t, std::string_view>, 18> old_names{{{1, "ethereum"},
                                                                                {14, "flare"},
                                                                                {137, "polygon"},
                                                                                {143, "monad"},
                                                                                {988, "stable"},
                                                                                {1328, "sei-testnet"},
                                                                                {1329, "sei"},
                                                                                {2741, "abstract"},
                                                                                {3338, "peaq"},
                                                                                {4689, "iotex"},
                                                                                {8453, "base"},
                                                                                {11124, "abstract-testnet"},
                                                                                {42220, "celo"},
                                                                                {43113, "avalanche-fuji"},
                                                                                {43114, "avalanche"},
                                                                                {80002, "polygon-amoy"},
                                                                                {84532, "base-sepolia"},
                                                                                {11155111, "sepolia"}}};

}  // namespace

std::string network_of(std::uint64_t chain_id) { return "eip155:" + std::to_string(chain_id); }

std::string_view old_network_of(std::uint64_t chain_id) {
  const auto* const found = std::ranges::find(old_names, chain_id, [](const auto& one) { return one.first; });
  return found == old_names.end() ? std::string_view() : found->second;
}

}  // namespace x402
