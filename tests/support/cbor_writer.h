// Writes CBOR as authenticators do, and invalid forms of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cbor_tests {

// An item's head with its argument in `width` bytes (0: within the first byte), shortest form or not.
inline std::string head(unsigned major, std::uint64_t argument, unsigned width) {
  const unsigned low = width == 0   ? static_cast<unsigned>(argument)
                       : width == 1 ? 24
                       : width == 2 ? 25
                       : width == 4 ? 26
                                    : 27;
  std::string bytes(1, static_cast<char>(major << 5 | low));
  for (unsigned i = width; i-- > 0;) bytes += static_cast<char>(argument >> (8 * i));
  return bytes;
}
inline std::string head(unsigned major, std::uint64_t argument) {
  return head(major, argument, argument < 24 ? 0 : argument < 256 ? 1 : argument < 65'536 ? 2 : argument >> 32 ? 8 : 4);
}

inline std::string number(std::int64_t value) {
  return value >= 0 ? head(0, static_cast<std::uint64_t>(value)) : head(1, static_cast<std::uint64_t>(-1 - value));
}
inline std::string bytes(std::string_view value) { return head(2, value.size()).append(value); }
inline std::string text(std::string_view value) { return head(3, value.size()).append(value); }
inline std::string array(std::uint64_t count) { return head(4, count); }
inline std::string map(std::uint64_t pairs) { return head(5, pairs); }

}  // namespace cbor_tests
