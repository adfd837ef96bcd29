#include "appliance/payments/splits/division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace division_test {

using payments::Usdc;
using testing::ElementsAre;

std::vector<std::int64_t> divided(std::string_view total, const std::vector<double>& shares) {
  std::vector<std::int64_t> micro;
  for (const auto amount : splits::divide(Usdc::parse(total).value(), shares).value()) micro.push_back(amount.micro());
  return micro;
}

TEST(Division, TheLastTakesTheRest) {
  EXPECT_THAT(divided("10", {33.33, 33.33, 33.34}), ElementsAre(3'333'000, 3'333'000, 3'334'000));
  EXPECT_THAT(divided("0.00001", {33.3333, 33.3333, 33.3334}), ElementsAre(3, 3, 4));
  EXPECT_THAT(divided("1", {100}), ElementsAre(1'000'000));
  EXPECT_THAT(divided("1", {99.995}), ElementsAre(1'000'000)) << "within 0.01 of the whole";
  EXPECT_THAT(divided("1000000000000", {0.1, 99.9}), ElementsAre(1'000'000'000'000'000, 999'000'000'000'000'000));
}

TEST(Division, RefusesWhatDoesNotAddUp) {
  const auto one = Usdc::of_micro(1'000'000);
  for (const std::vector<double>& shares : std::vector<std::vector<double>>{
           {50, 49.98}, {50, 50.02}, {}, {0, 100}, {-1, 101}, {100, 0}, {1e300}, {std::nan("")}, {1e-12, 100}})
    EXPECT_FALSE(splits::divide(one, shares));
  EXPECT_FALSE(splits::divide(Usdc::of_micro(1), {50, 50})) << "an amount would be 0";
}

TEST(Division, AmountsAlwaysAddUp) {
  std::mt19937 random(7);  // NOLINT: the same sequence each time
  std::uniform_int_distribution<int> weight(1, 1000), count(1, 20);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<double> shares;
    for (int at = count(random); at > 0; --at) shares.push_back(weight(random));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (auto& share : shares) share = share * 100 / sum;
    const auto total = Usdc::of_micro(1'000'000 + weight(random) * 12'345LL);
    const auto amounts = splits::divide(total, shares);
    ASSERT_TRUE(amounts);
    EXPECT_EQ(std::accumulate(amounts->begin(), amounts->end(), Usdc()), total);
  }
}

}  // namespace division_test
