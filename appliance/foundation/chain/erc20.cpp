#include "appliance/foundation/chain/erc20.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/random.h"

namespace chain {

std::string balance_of(const crypto::EthereumAddress& address) { return crypto::unhex("70a08231") + word(address); }

std::string transfer_of(const crypto::EthereumAddress& to, std::uint64_t amount) {
  return crypto::unhex("a9059cbb") + word(to) + word(amount);
}

const std::string& transfer_event() {
  static const std::string topic = crypto::unhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
  return topic;
}

bool is_transfer(const Receipt::Log& log, const crypto::EthereumAddress& token, std::string_view from,
                 std::string_view to) {
  return log.contract == token.lower_case() && log.topics.size() == 3 && log.topics[0] == transfer_event() &&
         log.topics[1] == from && log.topics[2] == to && log.data.size() == word_bytes;
}

}  // namespace chain
