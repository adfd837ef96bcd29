// Signed transactions of type 2 (EIP-1559), as their receiver reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/ethereum.h"

namespace demo {

struct ReceivedTransaction {
  std::uint64_t chain_id = 0, nonce = 0, max_fee = 0, gas = 0, value = 0;
  crypto::EthereumAddress from, to;
  std::string data;
};

// Nothing for malformed ones, other types, wrong signatures, amounts beyond 64 bits, and the creation of contracts.
std::optional<ReceivedTransaction> read_transaction(std::string_view raw);

}  // namespace demo
