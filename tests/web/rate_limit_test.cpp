#include "web/admission/rate_limit.h"

#include <gtest/gtest.h>

#include <thread>

namespace web {
namespace rate_limit_test {

using namespace std::chrono_literals;

class Windows : public testing::Test {
 protected:
  std::chrono::steady_clock::time_point now{};
  RateWindows make(unsigned limit, std::size_t capacity = 65'536) {
    return RateWindows({.group = "g", .limit = limit, .window = 60s}, capacity, [this] { return now; });
  }
};

TEST_F(Windows, AllowTheLimitAndBeginAnew) {
  auto windows = make(2);
  EXPECT_EQ(windows.hit("a").remaining, 1u);
  EXPECT_TRUE(windows.hit("a").allowed);
  now += 59s;
  const auto refused = windows.hit("a");
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset, 1s);
  EXPECT_TRUE(windows.hit("b").allowed);
  now += 1s;
  EXPECT_TRUE(windows.hit("a").allowed);
}

// With any number of new clients, a client over its limit stays refused and memory stays bounded.
TEST_F(Windows, AFloodOfClientsResetsNoExhaustedWindow) {
  auto windows = make(3, 256);
  for (int i = 0; i < 4; ++i) windows.hit("attacker");
  for (int i = 0; i < 100'000; ++i) windows.hit("stranger " + std::to_string(i));
  EXPECT_FALSE(windows.hit("attacker").allowed);
}

TEST_F(Windows, CountEveryHitOfManyThreads) {
  auto windows = make(1000);
  std::atomic<int> allowed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int hit = 0; hit < 500; ++hit) allowed += windows.hit("a").allowed;
      });
  }
  EXPECT_EQ(allowed, 1000);
}

TEST(RateKey, IsAnAddressOrACustomersNetwork) {
  EXPECT_EQ(rate_key("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(rate_key("2001:db8:1:2::1"), rate_key("2001:db8:1:2:ffff::9"));
  EXPECT_NE(rate_key("2001:db8:1:2::1"), rate_key("2001:db8:1:3::1"));
}

}  // namespace rate_limit_test
}  // namespace web
