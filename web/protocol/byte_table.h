// Sets of bytes as protocols define them, with one look-up per byte.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "web/ascii.h"

namespace web {

class ByteTable {
 public:
  // `accepts` returns whether a byte (unsigned char) belongs to the set.
  explicit constexpr ByteTable(auto accepts) {
    for (unsigned byte = 0; byte < 256; ++byte) accepted_[byte] = accepts(static_cast<unsigned char>(byte));
  }
  constexpr bool holds(char c) const { return accepted_[static_cast<unsigned char>(c)]; }
  constexpr bool holds_all(std::string_view text) const {
    return std::all_of(text.begin(), text.end(), [this](char c) { return holds(c); });
  }

 private:
  std::array<bool, 256> accepted_{};
};

// RFC 9110, 5.6.2: the characters of field names and methods.
inline constexpr ByteTable token_byte([](unsigned char c) {
  const char byte = static_cast<char>(c);
  return is_alphanumeric(byte) || std::string_view("!#$%&'*+-.^_`|~").find(byte) != std::string_view::npos;
});
// RFC 9110, 5.5: the characters of field values.
inline constexpr ByteTable value_byte([](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });

constexpr bool is_token(std::string_view text) { return !text.empty() && token_byte.holds_all(text); }

}  // namespace web
