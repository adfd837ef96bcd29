#include "store/rocks/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace store {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// tables[k][b]: the contribution of byte b when k bytes follow it. Eight bytes are processed at a time.
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

// Here and below the CRC's bits are inverted, as it is while it is computed.
std::uint32_t by_tables(std::string_view bytes, std::uint32_t crc) {
  const char* at = bytes.data();
  auto left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const auto word = word_at(at) ^ crc;
    crc = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) crc ^= tables[7 - byte][word >> (8 * byte) & 255];
  }
  for (; left > 0; --left, ++at) crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(*at)) & 255];
  return crc;
}

#ifdef __x86_64__

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::string_view bytes, std::uint32_t crc) {
  const char* at = bytes.data();
  auto left = bytes.size();
  std::uint64_t wide = crc;
  for (; left >= 8; left -= 8, at += 8) wide = _mm_crc32_u64(wide, word_at(at));
  crc = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) crc = _mm_crc32_u8(crc, static_cast<unsigned char>(*at));
  return crc;
}

const bool has_instruction = __builtin_cpu_supports("sse4.2");  // all processors since 2011 do

std::uint32_t extend(std::string_view bytes, std::uint32_t crc) {
  return has_instruction ? by_instruction(bytes, crc) : by_tables(bytes, crc);
}

#else

std::uint32_t extend(std::string_view bytes, std::uint32_t crc) { return by_tables(bytes, crc); }

#endif

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) { return ~extend(bytes, ~before); }

std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t before) { return ~by_tables(bytes, ~before); }

}  // namespace store
