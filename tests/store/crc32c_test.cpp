#include "store/rocks/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

namespace store {
namespace crc32c_test {

// RFC 3720, B.4.
TEST(Crc32c, OfKnownBytes) {
  std::string ascending(32, '\0');
  std::iota(ascending.begin(), ascending.end(), '\0');
  const std::string descending(ascending.rbegin(), ascending.rend());
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(crc32c(descending), 0x113fdb5cu);
}

// Bit by bit, as it is defined.
std::uint32_t defined(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

TEST(Crc32c, OfAnyBytesAtAnyPlaceInAnyTwoParts) {
  std::mt19937 random(20261122);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  for (int round = 0; round < 2000; ++round) {
    std::string room(up_to(100), '\0');
    for (char& byte : room) byte = static_cast<char>(up_to(255));
    const auto bytes = std::string_view(room).substr(up_to(std::min<std::size_t>(room.size(), 8)));
    const auto middle = up_to(bytes.size());
    const auto wanted = defined(bytes);
    EXPECT_EQ(crc32c(bytes), wanted);
    EXPECT_EQ(crc32c(bytes.substr(middle), crc32c(bytes.substr(0, middle))), wanted);
    EXPECT_EQ(crc32c_by_tables(bytes.substr(middle), crc32c_by_tables(bytes.substr(0, middle))), wanted);
  }
}

}  // namespace crc32c_test
}  // namespace store
