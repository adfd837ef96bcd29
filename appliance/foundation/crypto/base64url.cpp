#include "appliance/foundation/crypto/base64url.h"

#include <array>
#include <cstdint>

namespace crypto {

namespace {

constexpr std::string_view base64url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> base64url_values = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_digit);
  for (std::size_t i = 0; i < base64url_alphabet.size(); ++i)
    table[static_cast<unsigned char>(base64url_alphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  unsigned held = 0;
  int bits = 0;
  for (const char byte : bytes) {
    held = held << 8 | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 6; bits -= 6) text += base64url_alphabet[held >> (bits - 6) & 63];
    held &= (1u << bits) - 1;
  }
  if (bits > 0) text += base64url_alphabet[held << (6 - bits) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const unsigned value = base64url_values[static_cast<unsigned char>(c)];
    if (value == no_digit) return std::nullopt;
    held = held << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits);
    held &= (1u << bits) - 1;
  }
  if (held != 0) return std::nullopt;
  return bytes;
}

}  // namespace crypto
