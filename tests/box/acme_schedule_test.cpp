#include <gtest/gtest.h>

#include <set>

#include "appliance/box/acme/schedule.h"

namespace acme_schedule_test {

using namespace std::chrono_literals;

crypto::CertificateFacts of_ninety_days(const std::string& sha256) {
  const std::chrono::sys_seconds from = std::chrono::sys_days(std::chrono::year{2026} / 1 / 1);
  return {.valid_from = from, .expires_at = from + std::chrono::days{90}, .names = {}, .sha256 = sha256, .pem = {}};
}

TEST(AcmeSchedule, RenewsAtTwoThirdsOfTheLifetimeAtTheLatest) {
  const auto latest = of_ninety_days("00:AB");
  EXPECT_EQ(acme::renewal_time(latest) - latest.valid_from, std::chrono::days{60});
}

TEST(AcmeSchedule, BoxesOfOneDayAreSpreadOverDays) {
  const auto earliest = of_ninety_days("FF:AB");
  EXPECT_GT(acme::renewal_time(earliest) - earliest.valid_from, std::chrono::days{56});
  EXPECT_LT(acme::renewal_time(earliest) - earliest.valid_from, std::chrono::days{57});
  std::set<std::chrono::sys_seconds> times;
  for (const auto* draw : {"00:", "10:", "7F:", "80:", "FE:", "FF:"})
    times.insert(acme::renewal_time(of_ninety_days(draw)));
  EXPECT_EQ(times.size(), 6u);
}

TEST(AcmeSchedule, FailuresAreFollowedByEverLongerPauses) {
  EXPECT_EQ(acme::pause_after(1), 1min);
  EXPECT_EQ(acme::pause_after(2), 4min);
  EXPECT_EQ(acme::pause_after(4), 64min);
  EXPECT_EQ(acme::pause_after(6), 12h);
  EXPECT_EQ(acme::pause_after(1'000'000'000), 12h);
}

}  // namespace acme_schedule_test
