// Time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds, as in every authenticator app.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crypto {

// Base32 of RFC 4648 without padding, the form in which users type secrets.
std::string to_base32(std::string_view bytes);
// The password of one step, counted from 1970.
std::string totp(std::string_view secret, std::int64_t step);
std::int64_t totp_step(std::chrono::system_clock::time_point);
// The step of this password, at most one step before or after `now`; only steps after `last_used`.
std::optional<std::int64_t> totp_step_of(std::string_view secret, std::string_view code, std::int64_t now,
                                         std::int64_t last_used);

}  // namespace crypto
