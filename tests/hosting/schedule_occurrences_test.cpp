#include "appliance/hosting/schedule/occurrences.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "web/routes/reply.h"

namespace schedule_occurrences_test {

using namespace std::chrono;
using schedule::Cron;
using schedule::TimePoint;
using schedule::TimeZone;
using schedule::TimeZones;
using testing::ElementsAre;

const TimeZones zones;

TimePoint utc(int y, unsigned m, unsigned d, seconds time = 0s) { return sys_days(year(y) / month(m) / day(d)) + time; }

std::string iso(TimePoint moment) { return web::iso8601(moment).substr(0, 16); }

// What comes due in the hours after `after`, as UTC to the minute.
std::vector<std::string> due(const char* expression, const char* zone, TimePoint after, hours length = 24h) {
  const auto cron = Cron::parse(expression).value();
  std::vector<std::string> found;
  for (auto at = after;;) {
    at = schedule::next_occurrence(cron, *zones.find(zone), at).value();
    if (at > after + length) return found;
    found.push_back(iso(at));
  }
}

// Berlin, 29 March 2026: 02:00 CET is followed by 03:00 CEST, at 01:00 UTC.
const auto spring = utc(2026, 3, 28, 12h);

TEST(ClocksSetForward, ASkippedTimeIsDueAtTheEndOfTheGap) {
  EXPECT_THAT(due("30 2 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T01:00"));
  EXPECT_THAT(due("0 2 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T01:00"));
  EXPECT_THAT(due("59 2 29 3 *", "Europe/Berlin", spring), ElementsAre("2026-03-29T01:00"));
}

TEST(OneTime, IsTheFirstMomentThatTheClocksShow) {
  const auto moment = [](local_seconds time) { return iso(schedule::moment_of(time, *zones.find("Europe/Berlin"))); };
  EXPECT_EQ(moment(local_days(2026y / 12 / 1) + 9h), "2026-12-01T08:00");
  EXPECT_EQ(moment(local_days(2026y / 7 / 1) + 9h), "2026-07-01T07:00");
  EXPECT_EQ(moment(local_days(2026y / 3 / 29) + 2h + 30min), "2026-03-29T01:00") << "the end of the gap";
  EXPECT_EQ(moment(local_days(2026y / 10 / 25) + 2h + 30min), "2026-10-25T00:30") << "the first of both";
  EXPECT_EQ(iso(schedule::moment_of(local_days(2026y / 12 / 1), *zones.find("UTC"))), "2026-12-01T00:00");
}

TEST(ClocksSetForward, AllSkippedTimesAreDueOnce) {
  EXPECT_THAT(due("*/10 2 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T01:00"));
  EXPECT_THAT(due("0,30 2,3 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T01:00", "2026-03-29T01:30"));
  EXPECT_THAT(due("0 1-4 * * *", "Europe/Berlin", spring),
              ElementsAre("2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T02:00"));
}

TEST(ClocksSetForward, TimesOutsideTheGapAreUnaffected) {
  EXPECT_THAT(due("59 1 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T00:59"));
  EXPECT_THAT(due("0 3 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T01:00"));
  EXPECT_THAT(due("0 9 * * *", "Europe/Berlin", spring), ElementsAre("2026-03-29T07:00"));
}

TEST(ClocksSetForward, TheEndOfTheGapIsNotDueAgain) {
  const auto cron = Cron::parse("30 2 * * *").value();
  const auto* berlin = zones.find("Europe/Berlin");
  EXPECT_EQ(schedule::next_occurrence(cron, *berlin, utc(2026, 3, 29, 1h)), utc(2026, 3, 30, 30min));
  EXPECT_EQ(schedule::next_occurrence(cron, *berlin, utc(2026, 3, 29, 1h - 1s)), utc(2026, 3, 29, 1h));
}

// Berlin, 25 October 2026: 03:00 CEST is followed by 02:00 CET, at 01:00 UTC.
const auto autumn = utc(2026, 10, 24, 12h);

TEST(ClocksSetBack, ARepeatedTimeIsDueTheFirstTime) {
  EXPECT_THAT(due("30 2 * * *", "Europe/Berlin", autumn), ElementsAre("2026-10-25T00:30"));
  EXPECT_THAT(due("0 2 * * *", "Europe/Berlin", autumn), ElementsAre("2026-10-25T00:00"));
  EXPECT_THAT(due("*/30 2 * * *", "Europe/Berlin", autumn), ElementsAre("2026-10-25T00:00", "2026-10-25T00:30"));
  EXPECT_THAT(due("0 1-3 * * *", "Europe/Berlin", autumn),
              ElementsAre("2026-10-24T23:00", "2026-10-25T00:00", "2026-10-25T02:00"));
}

TEST(ClocksSetBack, AnHourlyTaskIsDueBothTimes) {
  const auto every_hour = due("30 * * * *", "Europe/Berlin", autumn);
  EXPECT_EQ(every_hour.size(), 24u);
  EXPECT_THAT(every_hour, testing::IsSupersetOf({"2026-10-25T00:30", "2026-10-25T01:30"}));
  EXPECT_EQ(due("*/15 * * * *", "Europe/Berlin", autumn).size(), 24u * 4);
  EXPECT_EQ(due("* * * * *", "Europe/Berlin", autumn).size(), 24u * 60);
}

TEST(ClocksSetForward, ATaskDueEveryMinuteSkipsNone) {
  EXPECT_EQ(due("* * * * *", "Europe/Berlin", spring).size(), 24u * 60);
  EXPECT_EQ(due("0 * * * *", "Europe/Berlin", spring).size(), 24u);
}

// Lord Howe moves by half an hour: 4 October 2026, 02:00 is followed by 02:30, at 15:30 UTC of the day before; 5 April,
// 02:00 is followed by 01:30, at 15:00 UTC of the day before.
TEST(LordHowe, TheGapIsHalfAnHour) {
  const auto before = utc(2026, 10, 3, 6h);
  EXPECT_THAT(due("15 2 * * *", "Australia/Lord_Howe", before, 36h),
              ElementsAre("2026-10-03T15:30", "2026-10-04T15:15"));
  EXPECT_THAT(due("30 2 * * *", "Australia/Lord_Howe", before, 36h),
              ElementsAre("2026-10-03T15:30", "2026-10-04T15:30"));
  EXPECT_THAT(due("45 2 * * *", "Australia/Lord_Howe", before, 36h),
              ElementsAre("2026-10-03T15:45", "2026-10-04T15:45"));
  EXPECT_EQ(due("*/30 * * * *", "Australia/Lord_Howe", before).size(), 24u * 2);
}

TEST(LordHowe, HalfAnHourIsRepeated) {
  const auto before = utc(2026, 4, 4, 4h);
  EXPECT_THAT(due("45 1 * * *", "Australia/Lord_Howe", before, 36h),
              ElementsAre("2026-04-04T14:45", "2026-04-05T15:15"));
  EXPECT_THAT(due("15 1 * * *", "Australia/Lord_Howe", before, 36h),
              ElementsAre("2026-04-04T14:15", "2026-04-05T14:45"));
  EXPECT_EQ(due("*/30 * * * *", "Australia/Lord_Howe", before).size(), 24u * 2);
}

TEST(ClockChanges, OfAllKinds) {
  // New York, both ways: 02:00 to 03:00 at 07:00 UTC, 02:00 to 01:00 at 06:00 UTC.
  EXPECT_THAT(due("30 2 8 3 *", "America/New_York", utc(2026, 3, 7, 12h)), ElementsAre("2026-03-08T07:00"));
  EXPECT_THAT(due("30 1 1 11 *", "America/New_York", utc(2026, 10, 31, 12h)), ElementsAre("2026-11-01T05:30"));
  // London's repeated hour is the one after midnight UTC's end.
  EXPECT_THAT(due("30 1 25 10 *", "Europe/London", utc(2026, 10, 24, 12h)), ElementsAre("2026-10-25T00:30"));
  // In Beirut and Santiago midnight itself does not exist.
  EXPECT_THAT(due("@daily", "Asia/Beirut", utc(2026, 3, 28, 12h), 36h),
              ElementsAre("2026-03-28T22:00", "2026-03-29T21:00"));
  EXPECT_THAT(due("0 0 * * *", "America/Santiago", utc(2026, 9, 5, 12h), 48h),
              ElementsAre("2026-09-06T04:00", "2026-09-07T03:00"));
  // Samoa had no 30 December 2011.
  EXPECT_THAT(due("0 12 30 12 *", "Pacific/Apia", utc(2011, 12, 29, 12h)), ElementsAre("2011-12-30T10:00"));
  // Zones without changes have none.
  EXPECT_THAT(due("30 2 * * *", "Asia/Tokyo", spring), ElementsAre("2026-03-28T17:30"));
  EXPECT_THAT(due("30 2 * * *", "UTC", spring), ElementsAre("2026-03-29T02:30"));
}

TEST(Occurrences, SpanDecades) {
  const auto leap_day = Cron::parse("0 0 29 2 */6").value();  // of a weekend: a field with * joins both
  EXPECT_EQ(schedule::next_occurrence(leap_day, *zones.find("Europe/London"), utc(2026, 1, 1)), utc(2032, 2, 29));
  EXPECT_EQ(schedule::next_occurrence(leap_day, *zones.find("Europe/London"), utc(2088, 3, 1)), utc(2116, 2, 29));
  const auto yearly = Cron::parse("@yearly").value();
  EXPECT_EQ(schedule::next_occurrences(yearly, *zones.find("America/New_York"), utc(2026, 6, 1), 3),
            (std::vector{utc(2027, 1, 1, 5h), utc(2028, 1, 1, 5h), utc(2029, 1, 1, 5h)}));
}

// The same rules once more, by walking minute by minute over what a clock on the wall shows.
struct Model {
  std::set<unsigned> minutes, hours, days, months, weekdays;
  bool open_hours, open_days, open_weekdays;

  bool shows(local_seconds time) const {
    const auto day = floor<std::chrono::days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    const bool is_day = days.contains(unsigned(date.day())), is_weekday = weekdays.contains(weekday(day).c_encoding());
    return minutes.contains(unsigned(clock.minutes().count())) && hours.contains(unsigned(clock.hours().count())) &&
           months.contains(unsigned(date.month())) &&
           (open_days || open_weekdays ? is_day && is_weekday : is_day || is_weekday);
  }

  std::vector<std::string> walk(const TimeZone& zone, TimePoint after, TimePoint until) const {
    const auto wall = [&](TimePoint at) { return local_seconds(at.time_since_epoch() + zone.at(at).offset); };
    std::vector<std::string> found;
    auto latest = wall(after - std::chrono::hours(30));  // the latest time the wall has shown
    for (auto at = after - std::chrono::hours(30); at <= until; at += 1min) {
      const auto now = wall(at);
      bool is_due = shows(now) && (open_hours || now > latest);
      for (auto skipped = latest + 1min; skipped < now; skipped += 1min) is_due |= shows(skipped);
      latest = std::max(latest, now);
      if (is_due && at > after) found.push_back(iso(at));
    }
    return found;
  }
};

class Expressions {
 public:
  explicit Expressions(unsigned seed) : random_(seed) {}

  unsigned number(unsigned low, unsigned high) { return std::uniform_int_distribution<unsigned>(low, high)(random_); }
  bool chance(unsigned one_in) { return number(1, one_in) == 1; }

  // A field's text, and the numbers it stands for.
  std::string field(unsigned low, unsigned high, std::set<unsigned>& numbers) {
    if (chance(3)) return all(low, high, 1, numbers), "*";
    if (chance(4)) {
      const auto step = number(1, high - low);
      return all(low, high, step, numbers), "*/" + std::to_string(step);
    }
    std::string text;
    for (auto parts = number(1, 3); parts > 0; --parts) {
      const auto from = number(low, high), to = number(from, high);
      if (!text.empty()) text += ",";
      text += std::to_string(from);
      if (chance(2)) {
        numbers.insert(from);
        continue;
      }
      const auto step = number(1, high - low);
      all(from, to, step, numbers);
      text += "-" + std::to_string(to) + (step > 1 || chance(2) ? "/" + std::to_string(step) : "");
    }
    return text;
  }

 private:
  static void all(unsigned from, unsigned to, unsigned step, std::set<unsigned>& numbers) {
    for (auto n = from; n <= to; n += step) numbers.insert(n);
  }
  std::mt19937 random_;
};

TEST(Occurrences, AgreeWithASimulatedWallClock) {
  const std::vector<std::pair<const char*, TimePoint>> changes{
      {"Europe/Berlin", spring},
      {"Europe/Berlin", autumn},
      {"Australia/Lord_Howe", utc(2026, 10, 3, 3h)},
      {"Australia/Lord_Howe", utc(2026, 4, 4, 3h)},
      {"America/New_York", utc(2026, 3, 7, 20h)},
      {"America/New_York", utc(2026, 10, 31, 20h)},
      {"America/Santiago", utc(2026, 9, 5, 18h)},
      {"Pacific/Apia", utc(2011, 12, 29, 20h)},
      {"Asia/Kathmandu", utc(2026, 2, 27, 20h)},
  };
  Expressions random(20'260'329);
  std::size_t occurrences = 0;
  for (int round = 0; round < 300; ++round) {
    const auto& [name, after] = changes[random.number(0, unsigned(changes.size()) - 1)];
    const auto& zone = *zones.find(name);
    Model model;
    const auto minutes = random.field(0, 59, model.minutes);
    const auto hours = random.field(0, 23, model.hours);
    const auto days = random.field(1, 31, model.days), months = random.field(1, 12, model.months),
               weekdays = random.field(0, 6, model.weekdays);
    model.open_hours = hours.find_first_of("*/") != std::string::npos;
    model.open_days = days.starts_with('*');
    model.open_weekdays = weekdays.starts_with('*');
    const auto expression = minutes + " " + hours + " " + days + " " + months + " " + weekdays;
    const auto cron = Cron::parse(expression);
    if (!cron) continue;  // no such date
    const auto until = after + std::chrono::hours(20);
    std::vector<std::string> found;
    for (auto next = schedule::next_occurrence(*cron, zone, after); next && *next <= until;
         next = schedule::next_occurrence(*cron, zone, *next))
      found.push_back(iso(*next));
    ASSERT_EQ(found, model.walk(zone, after, until)) << expression << " in " << name;
    occurrences += found.size();
  }
  EXPECT_GT(occurrences, 500u) << "the expressions hardly ever come due";
}

}  // namespace schedule_occurrences_test
