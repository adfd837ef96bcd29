#include "appliance/foundation/crypto/totp.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

#include "appliance/foundation/crypto/random.h"

namespace crypto {

namespace {

constexpr std::string_view base32_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::chrono::seconds totp_step_length{30};
constexpr std::size_t totp_digits = 6;

}  // namespace

std::string to_base32(std::string_view bytes) {
  std::string text;
  unsigned held = 0;
  int bits = 0;
  for (const char byte : bytes) {
    held = held << 8 | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 5; bits -= 5) text += base32_alphabet[held >> (bits - 5) & 31];
    held &= (1u << bits) - 1;
  }
  if (bits > 0) text += base32_alphabet[held << (5 - bits) & 31];
  return text;
}

std::string totp(std::string_view secret, std::int64_t step) {
  std::array<unsigned char, 8> counter{};
  auto rest = static_cast<std::uint64_t>(step);
  for (std::size_t i = counter.size(); i-- > 0; rest >>= 8) counter[i] = static_cast<unsigned char>(rest);
  std::array<unsigned char, 20> mac{};
  unsigned size = 0;
  if (HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), counter.data(), counter.size(), mac.data(),
           &size) == nullptr)
    throw std::runtime_error("HMAC of OpenSSL failed");
  const std::size_t at = mac.back() & 15u;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | mac[at + i];
  std::string code = std::to_string((number & 0x7fffffffu) % 1'000'000);
  return std::string(totp_digits - code.size(), '0') + code;
}

std::int64_t totp_step(std::chrono::system_clock::time_point time) {
  return time.time_since_epoch() / totp_step_length;
}

std::optional<std::int64_t> totp_step_of(std::string_view secret, std::string_view code, std::int64_t now,
                                         std::int64_t last_used) {
  for (std::int64_t step = now - 1; step <= now + 1; ++step)
    if (step > last_used && constant_time_equal(totp(secret, step), code)) return step;
  return std::nullopt;
}

}  // namespace crypto
