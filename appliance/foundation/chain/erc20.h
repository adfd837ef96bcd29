// Calls of ERC-20 tokens, and their event of a transfer.
#pragma once

#include <string>
#include <string_view>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/crypto/ethereum.h"

namespace chain {

// Call data of balanceOf(address).
std::string balance_of(const crypto::EthereumAddress&);
// Call data of transfer(address,uint256).
std::string transfer_of(const crypto::EthereumAddress& to, std::uint64_t amount);
// Topic of Transfer(address,address,uint256): 32 raw bytes.
const std::string& transfer_event();
// Whether a log is the token's Transfer from and to these accounts, given as words; its data is then the amount, a
// word.
bool is_transfer(const Receipt::Log&, const crypto::EthereumAddress& token, std::string_view from, std::string_view to);

}  // namespace chain
