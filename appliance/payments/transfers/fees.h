// What a transaction offers for its gas, and what it costs at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/chain/rpc.h"

namespace transactions {

struct Offer {
  std::uint64_t max_fee = 0, max_priority_fee = 0;  // wei for a unit of gas
};

// Covers twice the base fee of the latest block, within `highest`. Nothing if the base fee alone is beyond that.
std::optional<Offer> offer_for(const chain::Fees&, std::uint64_t highest);
// One that nodes accept in the place of `last`: an eighth more of both, or what offer_for says if that is more. Nothing
// if that is beyond `highest`.
std::optional<Offer> higher_offer(const Offer& last, const chain::Fees&, std::uint64_t highest);

// The most that a transaction takes from its sender, in wei: a word. `value` is big-endian; a sum of more than 256 bits
// is the largest word.
std::string cost_of(std::string_view value, std::uint64_t gas, std::uint64_t max_fee);

}  // namespace transactions
