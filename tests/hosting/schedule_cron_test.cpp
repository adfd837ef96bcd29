#include "appliance/hosting/schedule/cron.h"

#include <gmock/gmock.h>

#include <iomanip>
#include <set>
#include <sstream>

namespace schedule_cron_test {

using namespace std::chrono;
using schedule::Cron;
using schedule::LocalTime;
using testing::HasSubstr;

LocalTime time_of(const std::string& text) {
  std::tm parts{};
  std::istringstream in(text);
  in >> std::get_time(&parts, "%Y-%m-%d %H:%M:%S");
  if (in.fail()) throw std::invalid_argument(text);
  return local_days(year(parts.tm_year + 1900) / (parts.tm_mon + 1) / parts.tm_mday) + hours(parts.tm_hour) +
         minutes(parts.tm_min) + seconds(parts.tm_sec);
}

std::string text_of(LocalTime time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::ostringstream out;
  out << std::put_time(&parts, "%Y-%m-%d %H:%M:%S");
  return out.str();
}

// The first `count` times later than `after`.
std::vector<std::string> times(const std::string& expression, const std::string& after, std::size_t count) {
  const auto cron = Cron::parse(expression);
  if (!cron) return {cron.error().message};
  std::vector<std::string> found;
  for (auto from = time_of(after) + 1s; found.size() < count;) {
    const auto next = cron->first(from, from + years(100));
    if (!next) break;
    found.push_back(text_of(*next));
    from = *next + 1s;
  }
  return found;
}

struct Case {
  const char* expression;
  const char* after;
  std::vector<std::string> expected;
};

// Each line: the expression, a moment, and what comes next.
class CronCorpus : public testing::TestWithParam<Case> {};

TEST_P(CronCorpus, NextRunIsRight) {
  const auto& [expression, after, expected] = GetParam();
  EXPECT_EQ(times(expression, after, expected.size()), expected) << expression;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, CronCorpus,
    testing::Values(Case{"* * * * *", "2026-03-04 05:06:07", {"2026-03-04 05:07:00", "2026-03-04 05:08:00"}},
                    Case{"0 0 * * *", "2026-12-31 00:00:00", {"2027-01-01 00:00:00"}},
                    Case{"30 9 * * *", "2026-03-04 09:29:59", {"2026-03-04 09:30:00", "2026-03-05 09:30:00"}},
                    Case{"*/15 * * * *", "2026-03-04 23:31:00", {"2026-03-04 23:45:00", "2026-03-05 00:00:00"}},
                    Case{"7-59/20 3 * * *",
                         "2026-03-04 00:00:00",
                         {"2026-03-04 03:07:00", "2026-03-04 03:27:00", "2026-03-04 03:47:00"}},
                    Case{"5/20 3 * * *",
                         "2026-03-04 00:00:00",
                         {"2026-03-04 03:05:00", "2026-03-04 03:25:00", "2026-03-04 03:45:00"}},
                    Case{"0 9-17/4 * * *",
                         "2026-03-04 00:00:00",
                         {"2026-03-04 09:00:00", "2026-03-04 13:00:00", "2026-03-04 17:00:00"}},
                    Case{"5,10,59 8 * * *", "2026-03-04 08:09:00", {"2026-03-04 08:10:00", "2026-03-04 08:59:00"}},
                    Case{"0 0 1 */3 *", "2026-02-01 00:00:00", {"2026-04-01 00:00:00", "2026-07-01 00:00:00"}},
                    Case{"0 0 31 * *", "2026-01-31 00:00:00", {"2026-03-31 00:00:00", "2026-05-31 00:00:00"}},
                    Case{"0 12 1 jan,JUL *", "2026-01-02 00:00:00", {"2026-07-01 12:00:00", "2027-01-01 12:00:00"}},
                    Case{"0 0 * dec-DEC mon", "2026-11-30 00:00:00", {"2026-12-07 00:00:00"}},
                    Case{"0\t0\t1\t1\t*", "2026-01-01 00:00:00", {"2027-01-01 00:00:00"}},
                    Case{"\t 0 \t0 1   1 *\t", "2026-01-01 00:00:00", {"2027-01-01 00:00:00"}},
                    Case{"  0  0 1   1 * ", "2026-01-01 00:00:00", {"2027-01-01 00:00:00"}}));

INSTANTIATE_TEST_SUITE_P(
    Seconds, CronCorpus,
    testing::Values(Case{"* * * * * *", "2026-03-04 05:06:59", {"2026-03-04 05:07:00", "2026-03-04 05:07:01"}},
                    Case{"*/20 * * * * *",
                         "2026-03-04 05:06:07",
                         {"2026-03-04 05:06:20", "2026-03-04 05:06:40", "2026-03-04 05:07:00"}},
                    Case{"15 30 9 * * *", "2026-03-04 09:30:15", {"2026-03-05 09:30:15"}},
                    Case{"59 59 23 31 12 *", "2026-01-01 00:00:00", {"2026-12-31 23:59:59"}}));

INSTANTIATE_TEST_SUITE_P(
    Days, CronCorpus,
    testing::Values(
        Case{"0 0 * * 0", "2026-11-21 00:00:00", {"2026-11-22 00:00:00", "2026-11-29 00:00:00"}},
        Case{"0 0 * * 7", "2026-11-21 00:00:00", {"2026-11-22 00:00:00"}},
        Case{"0 0 * * SUN", "2026-11-21 00:00:00", {"2026-11-22 00:00:00"}},
        Case{"0 0 * * fri-sun",
             "2026-11-16 00:00:00",
             {"2026-11-20 00:00:00", "2026-11-21 00:00:00", "2026-11-22 00:00:00", "2026-11-27 00:00:00"}},
        Case{"0 0 * * 5-7",
             "2026-11-20 00:00:00",
             {"2026-11-21 00:00:00", "2026-11-22 00:00:00", "2026-11-27 00:00:00"}},
        Case{"0 9 ? * MON-FRI", "2026-11-20 09:00:00", {"2026-11-23 09:00:00"}},
        Case{"0 0 * * */2",
             "2026-11-21 00:00:00",
             {"2026-11-22 00:00:00", "2026-11-24 00:00:00", "2026-11-26 00:00:00", "2026-11-28 00:00:00",
              "2026-11-29 00:00:00"}},
        Case{"0 0 L * *", "2026-01-31 00:00:00", {"2026-02-28 00:00:00", "2026-03-31 00:00:00", "2026-04-30 00:00:00"}},
        Case{"0 0 L 2 *", "2026-03-01 00:00:00", {"2027-02-28 00:00:00", "2028-02-29 00:00:00"}},
        Case{"0 0 L-2 * *", "2026-02-01 00:00:00", {"2026-02-26 00:00:00", "2026-03-29 00:00:00"}},
        Case{"0 0 15,L * *", "2026-02-01 00:00:00", {"2026-02-15 00:00:00", "2026-02-28 00:00:00"}},
        Case{"0 0 * * 5L", "2026-11-01 00:00:00", {"2026-11-27 00:00:00", "2026-12-25 00:00:00"}},
        Case{"0 0 * * sunL", "2026-11-01 00:00:00", {"2026-11-29 00:00:00", "2026-12-27 00:00:00"}},
        Case{"0 0 * * 7L", "2026-11-01 00:00:00", {"2026-11-29 00:00:00"}},
        Case{"0 0 * * TUE#2", "2026-11-01 00:00:00", {"2026-11-10 00:00:00", "2026-12-08 00:00:00"}},
        Case{"0 0 * * 0#5", "2026-11-01 00:00:00", {"2026-11-29 00:00:00", "2027-01-31 00:00:00"}},
        Case{"0 0 * * MON#1,MON#3", "2026-11-01 00:00:00", {"2026-11-02 00:00:00", "2026-11-16 00:00:00"}},
        Case{"0 0 29 2 *", "2026-01-01 00:00:00", {"2028-02-29 00:00:00", "2032-02-29 00:00:00"}},
        Case{"0 0 29 2 *", "2096-03-01 00:00:00", {"2104-02-29 00:00:00"}}));

// Vixie's rule for the two fields of days.
INSTANTIATE_TEST_SUITE_P(
    EitherDay, CronCorpus,
    testing::Values(Case{"0 0 13 * 5",
                         "2026-11-01 00:00:00",
                         {"2026-11-06 00:00:00", "2026-11-13 00:00:00", "2026-11-20 00:00:00"}},
                    Case{"0 0 1 * MON",
                         "2026-11-23 00:00:00",
                         {"2026-11-30 00:00:00", "2026-12-01 00:00:00", "2026-12-07 00:00:00"}},
                    Case{"0 0 L * FRI#1", "2026-11-01 00:00:00", {"2026-11-06 00:00:00", "2026-11-30 00:00:00"}},
                    Case{"0 0 30 2 1", "2026-02-01 00:00:00", {"2026-02-02 00:00:00"}},
                    Case{"0 0 */2 * MON", "2026-11-01 00:00:00", {"2026-11-09 00:00:00", "2026-11-23 00:00:00"}},
                    Case{"0 0 29 2 */6", "2026-01-01 00:00:00", {"2032-02-29 00:00:00"}}));

INSTANTIATE_TEST_SUITE_P(Macros, CronCorpus,
                         testing::Values(Case{"@yearly", "2026-03-04 05:06:07", {"2027-01-01 00:00:00"}},
                                         Case{"@annually", "2026-03-04 05:06:07", {"2027-01-01 00:00:00"}},
                                         Case{"@monthly", "2026-03-04 05:06:07", {"2026-04-01 00:00:00"}},
                                         Case{"@weekly", "2026-03-04 05:06:07", {"2026-03-08 00:00:00"}},
                                         Case{"@Daily", "2026-03-04 05:06:07", {"2026-03-05 00:00:00"}},
                                         Case{"@midnight", "2026-03-04 05:06:07", {"2026-03-05 00:00:00"}},
                                         Case{"@hourly", "2026-03-04 05:06:07", {"2026-03-04 06:00:00"}}));

struct Refusal {
  const char* expression;
  const char* why;
};
class CronRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(CronRefusals, NameTheReason) {
  const auto cron = Cron::parse(GetParam().expression);
  ASSERT_FALSE(cron) << GetParam().expression;
  EXPECT_EQ(cron.error().kind, web::Kind::invalid);
  EXPECT_THAT(cron.error().message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Cron, CronRefusals,
    testing::Values(
        Refusal{"", "5 fields"}, Refusal{"* * * *", "5 fields"}, Refusal{"* * * * * * *", "5 fields"},
        Refusal{"daily", "5 fields"}, Refusal{"@reboot", "no @reboot"}, Refusal{"@daily *", "5 fields"},
        Refusal{"60 * * * *", "'60' is no minutes: a number from 0 to 59"}, Refusal{"-1 * * * *", "minutes"},
        Refusal{"* 24 * * *", "hours"}, Refusal{"* * 0 * *", "day of month"}, Refusal{"* * 32 * *", "day of month"},
        Refusal{"* * * 0 *", "a number from 1 to 12 or a name from JAN to DEC"}, Refusal{"* * * 13 *", "month"},
        Refusal{"* * * * 8", "a number from 0 to 7 or a name from SUN to SAT"}, Refusal{"* * * * FUN", "day of week"},
        Refusal{"60 * * * * *", "seconds"}, Refusal{"* MON * * *", "hours"}, Refusal{"* * * * JAN", "day of week"},
        Refusal{"1,,2 * * * *", "empty place"}, Refusal{",1 * * * *", "empty place"},
        Refusal{"1, * * * *", "empty place"}, Refusal{"5-1 * * * *", "backwards"}, Refusal{"* 22-2 * * *", "backwards"},
        Refusal{"* * * NOV-FEB *", "backwards"}, Refusal{"* * * * 7-2", "backwards"},
        Refusal{"1-2-3 * * * *", "minutes"}, Refusal{"1- * * * *", "minutes"},
        Refusal{"*/0 * * * *", "a step is a number from 1 to 59"}, Refusal{"*/60 * * * *", "a step"},
        Refusal{"*/ * * * *", "a step"}, Refusal{"*/x * * * *", "a step"}, Refusal{"*/2/3 * * * *", "a step"},
        Refusal{"/5 * * * *", "minutes"}, Refusal{"** * * * *", "minutes"}, Refusal{"*5 * * * *", "minutes"},
        Refusal{"? * * * *", "minutes"}, Refusal{"1.5 * * * *", "minutes"}, Refusal{"+5 * * * *", "minutes"},
        Refusal{"0x5 * * * *", "minutes"}, Refusal{"99999999999999999999 * * * *", "minutes"},
        Refusal{"L * * * *", "minutes"}, Refusal{"* * L-31 * *", "the last"}, Refusal{"* * L2 * *", "the last"},
        Refusal{"* * LW * *", "the last"}, Refusal{"* * 15W * *", "day of month"},
        Refusal{"* * * * L", "the last Friday"}, Refusal{"* * * * 5#0", "from 1 to 5"},
        Refusal{"* * * * 5#6", "from 1 to 5"}, Refusal{"* * * * #2", "day of week"},
        Refusal{"* * * * 5#", "from 1 to 5"}, Refusal{"* * * * 8L", "day of week"},
        Refusal{"* * 5#2 * *", "day of month"}, Refusal{"0 0 30 2 *", "the date never occurs"},
        Refusal{"0 0 31 4,6,9,11 *", "the date never occurs"}, Refusal{"0 0 L-29 2 *", "the date never occurs"}));

TEST(Cron, KnowsWhichExpressionsCountElapsedHours) {
  for (const auto expression : {"0 * * * *", "0 */2 * * *", "0 8-18/2 * * *", "@hourly", "0 0 * * * *"})
    EXPECT_TRUE(Cron::parse(expression)->goes_by_hours_passed()) << expression;
  for (const auto expression : {"0 2 * * *", "* 2 * * *", "*/5 1,2,3 * * *", "@daily", "* * 2 * * *"})
    EXPECT_FALSE(Cron::parse(expression)->goes_by_hours_passed()) << expression;
}

TEST(Cron, TheEndOfTheRangeIsExclusive) {
  const auto cron = Cron::parse("0 12 * * *").value();
  const auto noon = time_of("2026-03-04 12:00:00");
  EXPECT_EQ(cron.first(noon, noon), std::nullopt);
  EXPECT_EQ(cron.first(noon, noon + 1s), noon);
  EXPECT_EQ(cron.first(noon + 1s, noon + days(1)), std::nullopt);
}

}  // namespace schedule_cron_test
