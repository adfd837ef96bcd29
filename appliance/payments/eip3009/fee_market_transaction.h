// Transactions of EIP-1559.
#pragma once

#include <cstdint>
#include <string>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/ethereum_signer.h"

namespace eip3009 {

struct FeeMarketTransaction {
  std::uint64_t chain_id = 0, nonce = 0;
  std::uint64_t max_priority_fee = 0, max_fee = 0;  // wei for a unit of gas
  std::uint64_t gas = 0;
  crypto::EthereumAddress to;
  std::string data;
};

// The signed transaction, as a node takes it; its hash is the keccak256 of these bytes.
std::string signed_by(const crypto::EthereumSigner&, const FeeMarketTransaction&);

}  // namespace eip3009
