#include "appliance/payments/transfers/fees.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"

namespace transactions {

namespace {

// Nodes ask for a tenth more; rounding up keeps that true for small fees.
std::uint64_t an_eighth_more(std::uint64_t fee) { return fee + fee / 8 + 1; }

__extension__ using Wide = unsigned __int128;

}  // namespace

std::optional<Offer> offer_for(const chain::Fees& fees, std::uint64_t highest) {
  if (fees.base > highest) return std::nullopt;
  const auto priority = std::min(fees.priority, highest);
  const auto wanted = fees.base > (highest - priority) / 2 ? highest : 2 * fees.base + priority;
  return Offer{.max_fee = wanted, .max_priority_fee = std::min(priority, wanted)};
}

std::optional<Offer> higher_offer(const Offer& last, const chain::Fees& fees, std::uint64_t highest) {
  Offer offer{.max_fee = an_eighth_more(last.max_fee), .max_priority_fee = an_eighth_more(last.max_priority_fee)};
  if (const auto usual = offer_for(fees, highest)) {
    offer.max_fee = std::max(offer.max_fee, usual->max_fee);
    offer.max_priority_fee = std::max(offer.max_priority_fee, usual->max_priority_fee);
  }
  offer.max_fee = std::max(offer.max_fee, offer.max_priority_fee);
  if (offer.max_fee > highest) return std::nullopt;
  return offer;
}

std::string cost_of(std::string_view value, std::uint64_t gas, std::uint64_t max_fee) {
  std::string word = std::string(chain::word_bytes - value.size(), '\0').append(value);
  Wide rest = Wide{gas} * max_fee;
  unsigned carry = 0;
  for (std::size_t at = word.size(); at-- > 0; rest >>= 8) {
    const unsigned sum = static_cast<unsigned char>(word[at]) + static_cast<unsigned>(rest & 0xFF) + carry;
    word[at] = static_cast<char>(sum & 0xFF);
    carry = sum >> 8;
  }
  return carry == 0 ? word : std::string(chain::word_bytes, '\xFF');
}

}  // namespace transactions
