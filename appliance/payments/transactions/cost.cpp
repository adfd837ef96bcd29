#include "appliance/payments/transactions/cost.h"

#include "appliance/foundation/chain/abi.h"

namespace transactions {

namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

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
