// Keccak-256 with its original padding, before SHA-3: the hash of Ethereum.
#pragma once

#include <string>
#include <string_view>

namespace crypto {

std::string keccak256(std::string_view data);  // 32 raw bytes

}  // namespace crypto
