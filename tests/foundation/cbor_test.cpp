#include "appliance/foundation/crypto/cbor.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/cbor_writer.h"

namespace cbor_test {

using crypto::CborReader;
using namespace cbor_tests;

bool is_one_item(std::string_view bytes) {
  CborReader reader(bytes);
  return reader.skip() && reader.at_end();
}

TEST(Cbor, NumbersAreThoseOfTheStandard) {  // RFC 8949, appendix A
  const std::pair<std::string, std::int64_t> known[] = {
      {std::string("\x00", 1), 0},
      {"\x17", 23},
      {"\x18\x18", 24},
      {"\x18\x64", 100},
      {"\x19\x03\xe8", 1000},
      {std::string("\x1a\x00\x0f\x42\x40", 5), 1'000'000},
      {"\x20", -1},
      {"\x38\x63", -100},
      {"\x39\x03\xe7", -1000},
      {std::string("\x1b\x00\x00\x00\xe8\xd4\xa5\x10\x00", 9), 1'000'000'000'000},
      {number(std::numeric_limits<std::int64_t>::max()), std::numeric_limits<std::int64_t>::max()},
      {number(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min()}};
  for (const auto& [bytes, value] : known) {
    CborReader reader(bytes);
    EXPECT_EQ(reader.integer(), value);
    EXPECT_TRUE(reader.at_end());
  }
  for (const unsigned major : {0u, 1u})
    EXPECT_FALSE(CborReader(head(major, std::uint64_t{1} << 63)).integer()) << "beyond 64 bits with a sign";
}

TEST(Cbor, EveryKindIsReadOnlyAsItself) {
  const std::string items[] = {number(7), bytes("ab"), text("ab"), map(1) + number(1) + number(2)};
  for (std::size_t kind = 0; kind < std::size(items); ++kind) {
    EXPECT_EQ(CborReader(items[kind]).integer().has_value(), kind == 0);
    EXPECT_EQ(CborReader(items[kind]).string().has_value(), kind == 1);
    EXPECT_EQ(CborReader(items[kind]).text().has_value(), kind == 2);
    EXPECT_EQ(CborReader(items[kind]).map().has_value(), kind == 3);
    EXPECT_TRUE(is_one_item(items[kind]));
  }
}

TEST(Cbor, AFailureIsPermanent) {
  const std::string two = number(1) + number(2);
  CborReader reader(two);
  EXPECT_FALSE(reader.text());
  EXPECT_FALSE(reader.integer());
  EXPECT_FALSE(reader.skip());
  EXPECT_FALSE(reader.at_end());
  EXPECT_TRUE(reader.failed());
}

TEST(Cbor, OnlyTheShortestFormIsTaken) {
  for (const std::uint64_t argument : {0, 23, 24, 255, 256, 65'535})
    for (const unsigned width : {0u, 1u, 2u, 4u, 8u}) {
      const std::string made = head(0, argument, width);
      if (width == 0 && argument > 23) continue;
      if (width == 1 && argument > 255) continue;
      EXPECT_EQ(is_one_item(made), made == head(0, argument)) << argument << " in " << width;
    }
}

TEST(Cbor, IndefiniteLengthsTagsFloatsAndReservedHeadsAreRefused) {
  for (unsigned major = 0; major < 8; ++major)
    for (const unsigned low : {28u, 29u, 30u, 31u})
      EXPECT_FALSE(is_one_item(std::string(1, static_cast<char>(major << 5 | low)) + std::string(16, '\0')));
  EXPECT_FALSE(is_one_item(head(6, 1) + number(1)));                                                // a tag
  EXPECT_FALSE(is_one_item("\xf9\x3c" + std::string(1, '\0')));                                     // 1.0
  EXPECT_FALSE(is_one_item("\xf7"));                                                                // undefined
  for (const std::string_view simple : {"\xf4", "\xf5", "\xf6"}) EXPECT_TRUE(is_one_item(simple));  // false, true, null
}

TEST(Cbor, FalseLengthsFailAtTheEndOfTheBytes) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  for (const unsigned major : {2u, 3u, 4u, 5u})
    for (const std::uint64_t length : {std::uint64_t{3}, std::uint64_t{1} << 32, most - 8, most}) {
      EXPECT_FALSE(is_one_item(head(major, length) + number(1)));
      EXPECT_FALSE(is_one_item(array(1) + head(major, length)));
    }
}

TEST(Cbor, NestingHasABound) {
  const auto nested = [](int depth) {
    std::string bytes;
    for (int i = 0; i < depth; ++i) bytes += array(1);
    return bytes + number(1);
  };
  EXPECT_TRUE(is_one_item(nested(CborReader::max_depth)));
  EXPECT_FALSE(is_one_item(nested(CborReader::max_depth + 1)));
  EXPECT_FALSE(is_one_item(nested(100'000)));
}

TEST(Cbor, RandomBytesAreNeverReadBeyondTheirEnd) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string noise(random() % 40, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    CborReader reader(noise);
    while (reader.skip()) EXPECT_LE(reader.position(), noise.size());
  }
}

}  // namespace cbor_test
