// What transactions offer for gas, and what they may cost.
#include "appliance/payments/transfers/fees.h"

#include <gtest/gtest.h>

#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/uint256.h"

namespace fees_test {

constexpr std::uint64_t gwei = 1'000'000'000, highest = 100 * gwei;

TEST(Fees, AnOfferCoversTwiceTheBaseFee) {
  const auto offer = transactions::offer_for({.base = 10 * gwei, .priority = 2 * gwei}, highest).value();
  EXPECT_EQ(offer.max_fee, 22 * gwei);
  EXPECT_EQ(offer.max_priority_fee, 2 * gwei);
}

TEST(Fees, NoOfferIsBeyondTheHighest) {
  const auto dear = transactions::offer_for({.base = 90 * gwei, .priority = 200 * gwei}, highest).value();
  EXPECT_EQ(dear.max_fee, highest);
  EXPECT_LE(dear.max_priority_fee, dear.max_fee);
  EXPECT_FALSE(transactions::offer_for({.base = highest + 1, .priority = 1}, highest));
  EXPECT_EQ(transactions::offer_for({.base = UINT64_MAX, .priority = 0}, UINT64_MAX)->max_fee, UINT64_MAX);
}

TEST(Fees, AReplacementOffersAnEighthMoreOfBoth) {
  const transactions::Offer last{.max_fee = 16 * gwei, .max_priority_fee = 8 * gwei};
  const auto next = transactions::higher_offer(last, {.base = gwei, .priority = gwei}, highest).value();
  EXPECT_EQ(next.max_fee, 18 * gwei + 1);
  EXPECT_EQ(next.max_priority_fee, 9 * gwei + 1);
  const auto risen = transactions::higher_offer(last, {.base = 30 * gwei, .priority = gwei}, highest).value();
  EXPECT_EQ(risen.max_fee, 61 * gwei) << "what the chain asks by now";
  EXPECT_FALSE(transactions::higher_offer({.max_fee = highest, .max_priority_fee = 1}, {.base = 1}, highest));
}

TEST(Cost, IsTheValueAndTheGas) {
  const auto cost = [](std::string_view value, std::uint64_t gas, std::uint64_t fee) {
    return chain::to_digits(transactions::cost_of(chain::word_of_digits(value).value(), gas, fee));
  };
  EXPECT_EQ(cost("0", 21'000, gwei), "21000000000000");
  EXPECT_EQ(cost("1500000000000000000", 21'000, gwei), "1500021000000000000");
  EXPECT_EQ(cost("1", UINT64_MAX, UINT64_MAX), "340282366920938463426481119284349108226");
  EXPECT_EQ(transactions::cost_of({}, 1, 1), std::string(31, '\0') + '\1');
  EXPECT_EQ(transactions::cost_of(std::string(32, '\xFF'), 1, 1), std::string(32, '\xFF')) << "saturates";
}

}  // namespace fees_test
