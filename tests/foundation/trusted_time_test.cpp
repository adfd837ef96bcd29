#include "appliance/foundation/trusted_time.h"

#include <gtest/gtest.h>

namespace trusted_time_test {

using namespace std::chrono_literals;

TEST(TrustedTime, GoesOnWhenTheClockIsSetBack) {
  agentbox::ForwardClock clock;
  const store::Time noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;
  const std::chrono::steady_clock::time_point start{5h};
  EXPECT_EQ(clock.at(noon, start), noon);
  EXPECT_EQ(clock.at(noon + 1min, start + 1min), noon + 1min);
  EXPECT_EQ(clock.at(noon - 2h, start + 2min), noon + 2min) << "what expired at 12:01 stays expired";
  EXPECT_EQ(clock.at(noon - 2h + 10min, start + 12min), noon + 12min);
  EXPECT_EQ(clock.at(noon + 3h, start + 13min), noon + 3h) << "forwards it follows";
  EXPECT_EQ(clock.at(noon + 14min, start + 14min), noon + 3h + 1min);
}

}  // namespace trusted_time_test
