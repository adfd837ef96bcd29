#include "appliance/identity/accounts/login_limit.h"

#include <gtest/gtest.h>

#include "web/routes/reply.h"

namespace login_limit_test {

using accounts::LoginLimit;
using namespace std::chrono_literals;
using Time = LoginLimit::Clock::time_point;

constexpr auto a = "network a", b = "network b";

class Limit : public testing::Test {
 protected:
  // So many failures at once; the alarm of the last one.
  static std::optional<unsigned> fail(LoginLimit& limit, std::string_view account, std::string_view source, int times,
                                      Time at) {
    std::optional<unsigned> alarm;
    for (int i = 0; i < times; ++i) alarm = limit.failed(account, source, at);
    return alarm;
  }
  static std::chrono::seconds wait(LoginLimit& limit, std::string_view account, std::string_view source, Time at) {
    const auto delay = limit.blocked(account, source, at);
    return delay ? delay->left : 0s;
  }

  const Time start = Time{} + 1000h;
  LoginLimit limit{{.free = 2, .first = 10s, .longest = 60s, .memory = 24h, .alarm = 5}, true};
};

TEST_F(Limit, EachFailureBeyondTheFreeOnesDoublesTheDelayUpToTheLongest) {
  EXPECT_FALSE(limit.blocked("ada", a, start));
  Time now = start;
  fail(limit, "ada", a, 1, now);
  EXPECT_FALSE(limit.blocked("ada", a, now));
  for (const auto expected : {10s, 20s, 40s, 60s, 60s}) {
    fail(limit, "ada", a, 1, now);
    EXPECT_EQ(wait(limit, "ada", a, now), expected);
    EXPECT_EQ(wait(limit, "ada", a, now + expected - 1ms), 1s);
    now += expected;
    EXPECT_FALSE(limit.blocked("ada", a, now));
  }
}

TEST_F(Limit, AccountsAndSourcesAreCountedApart) {
  fail(limit, "ada", a, 2, start);
  EXPECT_TRUE(limit.blocked("ada", a, start));
  EXPECT_FALSE(limit.blocked("ada", b, start));
  EXPECT_FALSE(limit.blocked("bob", a, start));
  fail(limit, "ada", b, 2, start);
  limit.succeeded("ada", b);
  EXPECT_FALSE(limit.blocked("ada", b, start));
  EXPECT_TRUE(limit.blocked("ada", a, start)) << "somebody else's success";
}

TEST_F(Limit, ClearingAnAccountForgetsAllItsSources) {
  for (const auto* source : {a, b}) fail(limit, "ada", source, 3, start);
  fail(limit, "bob", a, 3, start);
  limit.clear("ada");
  for (const auto* source : {a, b}) EXPECT_FALSE(limit.blocked("ada", source, start));
  fail(limit, "ada", a, 1, start);
  EXPECT_FALSE(limit.blocked("ada", a, start)) << "it begins anew";
  EXPECT_TRUE(limit.blocked("bob", a, start));
}

TEST_F(Limit, FailuresAreForgottenADayAfterTheLast) {
  fail(limit, "ada", a, 2, start);
  fail(limit, "ada", a, 1, start + 24h - 1s);
  EXPECT_EQ(wait(limit, "ada", a, start + 24h - 1s), 20s);
  fail(limit, "ada", a, 1, start + 48h - 1s);
  EXPECT_FALSE(limit.blocked("ada", a, start + 48h - 1s));
}

TEST_F(Limit, ManyFailuresFromAllSourcesRaiseOneAlarmAnHour) {
  EXPECT_FALSE(fail(limit, "ada", a, 2, start));
  EXPECT_FALSE(fail(limit, "ada", b, 2, start));
  EXPECT_FALSE(fail(limit, "bob", b, 4, start));
  EXPECT_EQ(fail(limit, "ada", "network c", 1, start), 5u);
  EXPECT_FALSE(fail(limit, "ada", "network d", 100, start + 59min));
  EXPECT_EQ(fail(limit, "ada", "network e", 5, start + 60min), 5u);
  EXPECT_FALSE(limit.blocked("ada", "network f", start)) << "the alarm keeps nobody out";
}

TEST_F(Limit, MemoryIsBoundedAndDelaysOutlastTheFlood) {
  LoginLimit small({.free = 2, .first = 10s, .longest = 60s, .capacity = 100}, true);
  fail(small, "ada", a, 10, start);
  for (int i = 0; i < 5'000; ++i) {
    small.failed("nobody" + std::to_string(i), a, start + std::chrono::milliseconds(i));
    ASSERT_LE(small.size(), 200u);
  }
  EXPECT_TRUE(small.blocked("ada", a, start + 5s));
}

TEST_F(Limit, SwitchedOffItCountsNothing) {
  LoginLimit off({.free = 1}, false);
  EXPECT_FALSE(fail(off, "ada", a, 1'000, start));
  EXPECT_FALSE(off.blocked("ada", a, start));
  EXPECT_EQ(off.size(), 0u);
}

TEST_F(Limit, TheRefusalCarriesTheRateLimitFields) {
  fail(limit, "ada", a, 3, start);
  const auto answer = web::error_response(accounts::delayed(*limit.blocked("ada", a, start), "Later."));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(std::get<std::string>(answer.body), R"({"error":"Later.","retryAfter":20})");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"Retry-After", "20"}, {"RateLimit-Limit", "2"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "20"}};
  EXPECT_EQ(answer.headers, expected);
}

}  // namespace login_limit_test
