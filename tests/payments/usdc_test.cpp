#include "appliance/payments/usdc.h"

#include <gtest/gtest.h>

#include <random>

namespace usdc_test {

using payments::Usdc;

TEST(Usdc, ReadsPlainDecimalsAlone) {
  EXPECT_EQ(Usdc::parse("12")->micro(), 12'000'000);
  EXPECT_EQ(Usdc::parse("0.000001")->micro(), 1);
  EXPECT_EQ(Usdc::parse("007.50")->micro(), 7'500'000);
  EXPECT_EQ(Usdc::parse("1000000000000")->micro(), Usdc::max_micro);
  for (const auto* text : {"",
                           ".",
                           "1.",
                           ".5",
                           "-1",
                           "+1",
                           "-0",
                           "1e3",
                           "0x10",
                           "NaN",
                           "Infinity",
                           "1,5",
                           " 1",
                           "1 ",
                           "0.0000001",
                           "1000000000000.000001",
                           "1000000000001",
                           "999999999999999999999999999999",
                           "00000000000000000000001",
                           "1.5.5",
                           "１"})
    EXPECT_FALSE(Usdc::parse(text)) << text;
}

TEST(Usdc, WritesTheShortestForm) {
  EXPECT_EQ(Usdc::of_micro(0).to_string(), "0");
  EXPECT_EQ(Usdc::of_micro(1).to_string(), "0.000001");
  EXPECT_EQ(Usdc::of_micro(2'500'000).to_string(), "2.5");
  EXPECT_EQ((-Usdc::of_micro(2'500'000)).to_string(), "-2.5");
  std::mt19937_64 random(1);  // NOLINT: the same sequence each time
  for (int round = 0; round < 10'000; ++round) {
    const auto amount = Usdc::of_micro(static_cast<std::int64_t>(random() % (Usdc::max_micro + 1ULL)));
    EXPECT_EQ(Usdc::parse(amount.to_string()), amount);
  }
}

TEST(Usdc, SumsOutOfRangeThrow) {
  const auto most = Usdc::of_micro(Usdc::max_micro);
  EXPECT_THROW(most + Usdc::of_micro(1), std::overflow_error);
  EXPECT_THROW(-most - Usdc::of_micro(1), std::overflow_error);
  EXPECT_EQ(most - most, Usdc());
}

}  // namespace usdc_test
