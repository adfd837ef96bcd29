// Numbers of JSON texts come back as they were sent, or are refused by name.
#include "web/routes/json_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstdint>
#include <random>

#include "web/routes/fields.h"
#include "web/routes/reply.h"

namespace web {
namespace json_number_test {

std::string there_and_back(const std::string& number) {
  const auto read = parse_json("{\"a\":[" + number + "]}");
  if (!read) return read.error().message;
  std::string written;
  write_json(written, *read);
  return written.substr(6, written.size() - 8);
}

std::string ecma(double number) {
  std::string out;
  append_json_number(out, number);
  return out;
}

TEST(JsonNumber, RandomDoublesComeBackBitForBit) {
  std::mt19937_64 random(4711);
  for (int i = 0; i < 20'000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    for (const char* form : {"%.17g", "%.25e", "%.17E"}) {
      char text[64];
      std::snprintf(text, sizeof text, form, number);
      const auto read = parse_json(text);
      // Whole numbers beyond 64 bits keep their digits or are refused.
      if (!read) {
        ASSERT_EQ(std::string_view(text).find_first_of(".eE"), std::string_view::npos) << text;
        continue;
      }
      const auto got = read->to_number<double>();
      ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(number)) << text;
    }
    const auto written = ecma(number);
    ASSERT_EQ(there_and_back(written), written);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*parse_json_double(written)), std::bit_cast<std::uint64_t>(number))
        << written;
  }
}

TEST(JsonNumber, IsWrittenAsByECMAScript) {
  EXPECT_EQ(ecma(0), "0");
  EXPECT_EQ(ecma(-0.0), "-0");
  EXPECT_EQ(ecma(1), "1");
  EXPECT_EQ(ecma(-12.5), "-12.5");
  EXPECT_EQ(ecma(0.000001), "0.000001");
  EXPECT_EQ(ecma(1e-7), "1e-7");
  EXPECT_EQ(ecma(1.25e-300), "1.25e-300");
  EXPECT_EQ(ecma(123456789012345680000.0), "123456789012345680000");
  EXPECT_EQ(ecma(1e21), "1e+21");
  EXPECT_EQ(ecma(5e-324), "5e-324");
  EXPECT_EQ(ecma(1.7976931348623157e308), "1.7976931348623157e+308");
}

TEST(JsonNumber, KeepsItsTextWithin64Bits) {
  for (const auto* number : {"0", "-0", "1", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808",
                             "18446744073709551615", "0.1", "123456789012345680000", "-9300000000000000000"})
    EXPECT_EQ(there_and_back(number), number);
}

TEST(JsonNumber, IsRefusedByNameIfItWouldChange) {
  for (const auto* number : {"-9223372036854775809", "18446744073709551616", "123456789012345678901234567890",
                             "123456789012345678901", "1000000000000000000000000"})
    EXPECT_EQ(there_and_back(number), "a[0] must be a number within 64 bits: write a larger one as a text") << number;
  for (const auto* number : {"1e400", "-1e400", "1e-400", "1e99999999999"})
    EXPECT_EQ(there_and_back(number), "a[0] is out of range") << number;
  EXPECT_EQ(there_and_back("1" + std::string(400, '0')), "a[0] is out of range");
}

}  // namespace json_number_test
}  // namespace web
