#include "store/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace store {
namespace {

// tables[k][b]: what byte b contributes when k bytes follow it. Eight bytes are taken at a time.
constexpr auto tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    made[0][byte] = crc;
  }
  for (std::size_t behind = 1; behind < 8; ++behind)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto crc = made[behind - 1][byte];
      made[behind][byte] = crc >> 8 ^ made[0][crc & 255];
    }
  return made;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  static_assert(std::endian::native == std::endian::little);
  auto crc = ~before;
  const char* at = bytes.data();
  auto left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) crc ^= tables[7 - byte][word >> (8 * byte) & 255];
  }
  for (; left > 0; --left, ++at) crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(*at)) & 255];
  return ~crc;
}

}  // namespace store
