// Transactions of type 2 (EIP-1559).
#pragma once

#include <cstdint>
#include <string>

#include "appliance/foundation/crypto/ethereum_signer.h"

namespace chain {

struct Transaction {
  std::uint64_t chain_id = 0, nonce = 0;
  std::uint64_t max_priority_fee = 0, max_fee = 0;  // wei for a unit of gas
  std::uint64_t gas = 0;
  crypto::EthereumAddress to;
  std::string value;  // wei, big-endian; empty: 0
  std::string data;
};

struct SignedTransaction {
  std::string bytes;  // what is sent
  std::string hash;   // 32 raw bytes
};
SignedTransaction sign(const Transaction&, const crypto::EthereumSigner&);

}  // namespace chain
