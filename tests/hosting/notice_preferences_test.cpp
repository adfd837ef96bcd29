#include "appliance/hosting/notices/preferences.h"

#include <gtest/gtest.h>

#include <random>

#include "web/routes/reply.h"

namespace notice_preferences_test {

using namespace std::chrono;
using notices::Preferences;

const schedule::TimeZones zones;
const auto& berlin = *zones.find("Europe/Berlin");

store::Time utc(int y, unsigned m, unsigned d, minutes time = 0min) {
  return sys_days(year(y) / month(m) / day(d)) + time;
}
std::string iso(store::Time at) { return web::iso8601(at).substr(0, 16); }

std::int64_t at(const char* text) { return notices::parse_time_of_day(text).value(); }

Preferences quiet(const char* from, const char* until) {
  Preferences wanted;
  wanted.quiet_from = at(from);
  wanted.quiet_until = at(until);
  return wanted;
}

TEST(TimeOfDay, IsHoursAndMinutes) {
  EXPECT_EQ(at("00:00"), 0);
  EXPECT_EQ(at("23:59"), 23 * 60 + 59);
  for (const auto* wrong : {"24:00", "12:60", "1:00", "12.30", "12:3x", "", " 1:00"})
    EXPECT_FALSE(notices::parse_time_of_day(wrong)) << wrong;
  for (std::int64_t minute = 0; minute < 24 * 60; ++minute)
    EXPECT_EQ(notices::parse_time_of_day(notices::time_of_day(minute)), minute);
}

TEST(DueTime, IsNowWithoutQuietHoursAndDigest) {
  const auto now = utc(2026, 11, 27, 23h + 30min);
  EXPECT_EQ(notices::due_time({}, berlin, false, now), now);
}

TEST(DueTime, IsTheEndOfTheQuietHours) {
  const auto night = quiet("22:00", "07:30");
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 11, 27, 21h))), "2026-11-28T06:30");
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 11, 28, 3h))), "2026-11-28T06:30");
  EXPECT_EQ(iso(notices::due_time(night, berlin, true, utc(2026, 11, 28, 3h))), "2026-11-28T06:30");
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 11, 28, 6h + 30min))), "2026-11-28T06:30") << "over";
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 11, 27, 20h + 59min))), "2026-11-27T20:59");
  const auto noon = quiet("12:00", "13:00");
  EXPECT_EQ(iso(notices::due_time(noon, berlin, false, utc(2026, 7, 1, 10h + 15min))), "2026-07-01T11:00");
  auto disturbed = night;
  disturbed.urgent_when_quiet = true;
  EXPECT_EQ(iso(notices::due_time(disturbed, berlin, true, utc(2026, 11, 28, 3h))), "2026-11-28T03:00");
  EXPECT_EQ(iso(notices::due_time(disturbed, berlin, false, utc(2026, 11, 28, 3h))), "2026-11-28T06:30");
}

TEST(DueTime, IsTheHourOfTheDigestUnlessItIsUrgent) {
  Preferences wanted;
  wanted.digest_at = at("18:00");
  EXPECT_EQ(iso(notices::due_time(wanted, berlin, false, utc(2026, 11, 27, 9h))), "2026-11-27T17:00");
  EXPECT_EQ(iso(notices::due_time(wanted, berlin, false, utc(2026, 11, 27, 17h))), "2026-11-28T17:00")
      << "the next one";
  EXPECT_EQ(iso(notices::due_time(wanted, berlin, true, utc(2026, 11, 27, 9h))), "2026-11-27T09:00");
  wanted.quiet_from = at("17:00");
  wanted.quiet_until = at("19:00");
  EXPECT_EQ(iso(notices::due_time(wanted, berlin, false, utc(2026, 11, 27, 9h))), "2026-11-27T18:00")
      << "after the quiet hours";
}

// Berlin sets its clocks forward on 29 March 2026 at 01:00 UTC, and back on 25 October at 01:00 UTC.
TEST(DueTime, KnowsClockChanges) {
  const auto night = quiet("22:00", "02:30");
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 3, 28, 23h))), "2026-03-29T01:00") << "in the gap";
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 10, 25, 0h))), "2026-10-25T00:30");
  EXPECT_EQ(iso(notices::due_time(night, berlin, false, utc(2026, 10, 25, 1h + 15min))), "2026-10-25T01:30")
      << "02:15 for the second time";
}

TEST(DueTime, IsNeverQuietNeverPastAndAtMostTwoDaysAhead) {
  std::mt19937 random(20261127);
  const auto minute = [&] { return std::int64_t(random() % (24 * 60)); };
  for (int round = 0; round < 20'000; ++round) {
    Preferences wanted;
    wanted.quiet_from = minute();
    wanted.quiet_until = minute();
    if (wanted.quiet_from == wanted.quiet_until) continue;
    if (random() % 2) wanted.digest_at = minute();
    const auto now = utc(2026, 1, 1) + minutes(random() % (365 * 24 * 60));
    const auto due = notices::due_time(wanted, berlin, false, now);
    ASSERT_FALSE(notices::is_quiet(wanted, berlin, due)) << iso(now) << " " << iso(due);
    ASSERT_GE(due, now);
    ASSERT_LE(due, now + 49h);
  }
}

TEST(LocalTime, IsWhatTheClocksShow) {
  EXPECT_EQ(notices::local_time(berlin, utc(2026, 11, 27, 23h + 5min)), "2026-11-28 00:05");
  EXPECT_EQ(notices::local_time(berlin, utc(2026, 7, 1, 6h)), "2026-07-01 08:00");
}

}  // namespace notice_preferences_test
