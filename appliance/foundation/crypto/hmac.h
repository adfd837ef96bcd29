// Message authentication and key derivation.
#pragma once

#include <string>
#include <string_view>

namespace crypto {

std::string hmac_sha256(std::string_view key, std::string_view message);  // 32 raw bytes
// A separate key for each purpose, derived from the master key: one reveals nothing about another.
std::string derived_key(std::string_view master_key, std::string_view purpose);  // 32 raw bytes

}  // namespace crypto
