// One-time passwords by the clock (RFC 6238): SHA-1, six digits, thirty seconds, as every authenticator app has them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crypto {

// Base32 of RFC 4648 without padding: how secrets are typed.
std::string to_base32(std::string_view bytes);
// The password of one step, counted from 1970.
std::string totp(std::string_view secret, std::int64_t step);
std::int64_t totp_step(std::chrono::system_clock::time_point);
// The step whose password this is, one step before or after `now` included; only steps after `last_used`.
std::optional<std::int64_t> totp_step_of(std::string_view secret, std::string_view code, std::int64_t now,
                                         std::int64_t last_used);

}  // namespace crypto
