#include "store/decimal.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <stdexcept>

namespace store_test {
namespace decimal_test {

using store::Decimal;

Decimal of(std::string_view text) { return Decimal::parse(text).value(); }

TEST(Decimal, ReadsPlainNumbersOnly) {
  EXPECT_EQ(of("12").units(), 12'000'000'000);
  EXPECT_EQ(of("-0.5").units(), -500'000'000);
  EXPECT_EQ(of("0.000000001").units(), 1);
  EXPECT_EQ(of("007").units(), 7'000'000'000);
  EXPECT_EQ(of("9223372036.854775807").units(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(of("-9223372036.854775808").units(), std::numeric_limits<std::int64_t>::min());
  for (const auto* text : {"", "-", ".", "1.", ".5", "+1", "--1", "1e3", " 1", "1 ", "1,5", "0x1", "1.0000000001",
                           "9223372036.854775808", "-9223372036.854775809", "99999999999999999999"})
    EXPECT_FALSE(Decimal::parse(text)) << text;
}

TEST(Decimal, WritesTheShortestFormThatReadsBack) {
  EXPECT_EQ(of("1.500").to_string(), "1.5");
  EXPECT_EQ(of("-0.000000010").to_string(), "-0.00000001");
  EXPECT_EQ(of("-0").to_string(), "0");
  EXPECT_EQ(Decimal::of_units(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036.854775808");
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto number = Decimal::of_units(static_cast<std::int64_t>(random()) >> random() % 63);
    ASSERT_EQ(of(number.to_string()), number);
  }
}

// Sums neither round nor depend on their order, and order follows the numbers.
TEST(Decimal, ArithmeticIsExact) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 2000; ++round) {
    const auto a = static_cast<std::int64_t>(random()) >> 3, b = static_cast<std::int64_t>(random()) >> 3;
    const auto x = Decimal::of_units(a), y = Decimal::of_units(b);
    ASSERT_EQ((x + y).units(), a + b);
    ASSERT_EQ(x + y, y + x);
    ASSERT_EQ(x + y - y, x);
    ASSERT_EQ(-(-x), x);
    ASSERT_EQ(x * 3, x + x + x);
    ASSERT_EQ(x < y, a < b);
  }
  Decimal sum;
  for (int times = 0; times < 10; ++times) sum += of("0.1");
  EXPECT_EQ(sum, of("1"));
}

TEST(Decimal, LeavingTheRangeIsAnError) {
  const auto most = Decimal::of_units(std::numeric_limits<std::int64_t>::max());
  const auto least = Decimal::of_units(std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(most + Decimal::of_units(1), std::overflow_error);
  EXPECT_THROW(least - Decimal::of_units(1), std::overflow_error);
  EXPECT_THROW(-least, std::overflow_error);
  EXPECT_THROW(most * 2, std::overflow_error);
}

}  // namespace decimal_test
}  // namespace store_test
