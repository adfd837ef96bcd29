// Keccak-256 with the padding from before it became SHA-3: what Ethereum hashes with.
#pragma once

#include <string>
#include <string_view>

namespace crypto {

std::string keccak256(std::string_view data);  // 32 raw bytes

}  // namespace crypto
