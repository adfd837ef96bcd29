// The daily limit of the public demo, shared among its visitors.
#include "appliance/models/demo_visitors.h"

#include <gtest/gtest.h>

namespace demo_visitors_test {

using namespace std::chrono_literals;

TEST(DemoVisitors, HaveAQuarterOfTheDailyTokensEach) {
  models::DemoVisitors visitors;
  const store::Time now{1'800'000'000'000ms};
  EXPECT_TRUE(visitors.admit("one", 5'000, 4'000, now)) << "the first is never too much";
  EXPECT_FALSE(visitors.admit("one", 1, 4'000, now));
  EXPECT_TRUE(visitors.admit("two", 900, 4'000, now));
  EXPECT_FALSE(visitors.admit("two", 101, 4'000, now));
  visitors.give_back("two", 800, now);
  EXPECT_TRUE(visitors.admit("two", 900, 4'000, now)) << "what was not used";
  EXPECT_TRUE(visitors.admit("one", 1, 4'000, now + 24h)) << "the next day";
  visitors.give_back("one", 5'000, now);
  EXPECT_FALSE(visitors.admit("one", 1'000, 4'000, now + 24h)) << "nothing comes back from the day before";
}

}  // namespace demo_visitors_test
