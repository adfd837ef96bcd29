// Random tokens, digests and comparisons over OpenSSL 3. Callable from every thread; failures of the generator throw.
#pragma once

#include <string>
#include <string_view>

namespace crypto {

std::string random_bytes(std::size_t count);
// `bytes` random bytes as lower-case hex (2 characters each).
std::string random_hex(std::size_t bytes);
// `characters` from [a-z0-9], unguessable; for ids in URLs and host names.
std::string random_id(std::size_t characters);
// `bytes` random bytes as base64url without padding.
std::string random_token(std::size_t bytes = 32);
std::string sha256(std::string_view data);      // 32 raw bytes
std::string sha256_hex(std::string_view data);  // 64 lower-case hex characters
std::string hex(std::string_view bytes);
// Decodes an even number of hex digits; returns an empty string for anything else.
std::string unhex(std::string_view text);
// Compares in time that depends on neither argument's content.
bool constant_time_equal(std::string_view a, std::string_view b);

}  // namespace crypto
