// Amounts of USDC, as clients send them.
#include "appliance/payments/usdc.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace amount_test {

std::string read(std::string_view json) {
  const auto amount = payments::parse_amount(boost::json::parse(json));
  return amount ? amount->to_string() : amount.error().message.substr(0, 6);
}

TEST(UsdcAmount, IsRoundedToSixPlaces) {
  EXPECT_EQ(read("1"), "1");
  EXPECT_EQ(read("1.5"), "1.5");
  EXPECT_EQ(read("0.1234565"), "0.123457");
  EXPECT_EQ(read("\"0.1234564999\""), "0.123456");
  EXPECT_EQ(read("\"0.9999995\""), "1");
  EXPECT_EQ(read("1e2"), "100") << "a JSON number may have an exponent";
  EXPECT_EQ(read("5e-7"), "0.000001");
}

TEST(UsdcAmount, RefusesWhatIsNoPositiveAmount) {
  for (const auto* json : {"0",
                           "-0.0",
                           "-1",
                           "\"-1\"",
                           "\"+1\"",
                           "\"1e3\"",
                           "\"0x10\"",
                           "\"NaN\"",
                           "\"\"",
                           "\".5\"",
                           "\"5.\"",
                           "\" 1\"",
                           "1e300",
                           "4e-7",
                           "\"0.0000004\"",
                           "\"999999999999999999999999999999\"",
                           "null",
                           "true",
                           "[]",
                           "{}",
                           "\"1000000000000.0000005\""})
    EXPECT_EQ(read(json), "amount") << json;
}

}  // namespace amount_test
