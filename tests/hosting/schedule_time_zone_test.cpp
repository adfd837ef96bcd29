#include "appliance/hosting/schedule/time_zone.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "appliance/hosting/schedule/posix_rule.h"
#include "tests/hosting/agent_fixture.h"

namespace schedule_time_zone_test {

using namespace std::chrono;
using namespace std::chrono_literals;
using schedule::OffsetChange;
using schedule::PosixRule;
using schedule::TimePoint;
using schedule::TimeZones;

TimePoint utc(int y, unsigned m, unsigned d, seconds time = 0s) { return sys_days(year(y) / month(m) / day(d)) + time; }

class TimeZone : public testing::Test {
 protected:
  minutes offset(const char* name, TimePoint moment) {
    const auto* zone = zones.find(name);
    if (!zone) throw std::runtime_error(std::string(name) + " is unknown");
    return duration_cast<minutes>(zone->at(moment).offset);
  }
  TimeZones zones;
};

TEST_F(TimeZone, KnowsPastPresentAndFarFuture) {
  EXPECT_EQ(offset("UTC", utc(2026, 7, 1)), 0min);
  EXPECT_EQ(offset("Europe/London", utc(2026, 1, 1)), 0min);
  EXPECT_EQ(offset("Europe/London", utc(2026, 7, 1)), 60min);
  EXPECT_EQ(offset("Europe/London", utc(2321, 7, 1)), 60min);
  EXPECT_EQ(offset("America/New_York", utc(2321, 1, 1)), -300min);
  EXPECT_EQ(offset("Asia/Kathmandu", utc(2026, 1, 1)), 345min);
  EXPECT_EQ(offset("Asia/Kathmandu", utc(1980, 1, 1)), 330min);
  EXPECT_EQ(offset("Pacific/Apia", utc(2011, 12, 29)), -600min);
  EXPECT_EQ(offset("Pacific/Apia", utc(2012, 1, 1)), 840min);
  EXPECT_EQ(offset("Australia/Lord_Howe", utc(2040, 1, 1)), 660min);
  EXPECT_EQ(offset("Australia/Lord_Howe", utc(2040, 7, 1)), 630min);
}

TEST_F(TimeZone, APeriodLastsFromChangeToChange) {
  const auto* berlin = zones.find("Europe/Berlin");
  for (const int y : {2026, 2036, 2037, 2038, 2039, 2040}) {  // around the end of the table, where the rule takes over
    const auto summer = berlin->at(utc(y, 7, 1));
    EXPECT_EQ(summer.begin, sys_seconds(sys_days(year(y) / March / Sunday[last]) + 1h)) << y;
    EXPECT_EQ(summer.end, sys_seconds(sys_days(year(y) / October / Sunday[last]) + 1h)) << y;
    EXPECT_EQ(berlin->at(summer.end).begin, summer.end);
    EXPECT_EQ(berlin->at(summer.begin - 1s).offset, 1h);
  }
  const auto always = zones.find("Etc/GMT-3")->at(utc(2026, 7, 1));
  EXPECT_EQ(always.begin, TimePoint::min());
  EXPECT_EQ(always.end, TimePoint::max());
}

TEST_F(TimeZone, NamesAreThoseOfTzdataAndNothingElse) {
  for (const auto name :
       {"Europe/London", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "UTC", "EST5EDT", "Asia/Tokyo"})
    EXPECT_NE(zones.find(name), nullptr) << name;
  for (const auto name :
       {"", "Europe/Nowhere", "europe/london", "Europe", "/etc/passwd", "../../../etc/passwd", "Europe/../UTC",
        "Europe//London", "Europe/London/", "./UTC", "posix/UTC", "right/UTC", "tzdata.zi", "zone.tab", "leapseconds",
        "localtime", "posixrules", "UTC ", "Europe/Lond\xc3\xb6n"})
    EXPECT_EQ(zones.find(name), nullptr) << name;
  EXPECT_EQ(zones.find(std::string_view("UTC\0", 4)), nullptr);
  EXPECT_EQ(zones.find(std::string(5'000, 'a')), nullptr);
}

TEST_F(TimeZone, EveryZoneOfTheSystemIsReadable) {
  const std::filesystem::path folder = "/usr/share/zoneinfo";
  std::size_t count = 0;
  for (const auto region : {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Etc",
                            "Europe", "Indian", "Pacific"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / region)) {
      if (entry.is_directory()) continue;
      const auto name = entry.path().lexically_relative(folder).string();
      const auto* zone = zones.find(name);
      ASSERT_NE(zone, nullptr) << name;
      // The C library reads the same file in its own way.
      ::setenv("TZ", (":" + name).c_str(), 1);
      ::tzset();
      for (auto moment = utc(1975, 1, 15, 12h); moment < utc(2060, 1, 1); moment += days(97)) {
        const std::time_t at = moment.time_since_epoch().count();
        std::tm parts{};
        ::localtime_r(&at, &parts);
        ASSERT_EQ(zone->at(moment).offset.count(), parts.tm_gmtoff) << name << " at " << at;
      }
      ++count;
    }
  ::unsetenv("TZ");
  ::tzset();
  EXPECT_GT(count, 300u);
}

TEST_F(TimeZone, TheDefaultIsTheZoneOfTheSystem) {
  ::setenv("TZ", "Asia/Tokyo", 1);
  EXPECT_EQ(zones.of_the_box(), "Asia/Tokyo");
  ::setenv("TZ", ":Europe/Berlin", 1);
  EXPECT_EQ(zones.of_the_box(), "Europe/Berlin");
  ::setenv("TZ", "Nowhere", 1);
  EXPECT_NE(zones.find(zones.of_the_box()), nullptr);
  ::unsetenv("TZ");
  EXPECT_NE(zones.find(zones.of_the_box()), nullptr);
}

TEST_F(TimeZone, WithoutTzdataThereIsUtc) {
  const agent_tests::TemporaryFolder empty;
  const TimeZones bare(empty.path());
  EXPECT_EQ(bare.find("Europe/London"), nullptr);
  ASSERT_NE(bare.find("UTC"), nullptr);
  EXPECT_EQ(bare.find("UTC")->at(utc(2026, 7, 1)).offset, 0s);
}

TEST_F(TimeZone, ADamagedFileIsRefused) {
  const agent_tests::TemporaryFolder folder;
  const auto whole = agent_tests::contents("/usr/share/zoneinfo/Europe/London");
  auto reads = [&](const std::string& bytes) {
    std::ofstream(folder.path() / "Zone", std::ios::binary) << bytes;
    return TimeZones(folder.path()).find("Zone") != nullptr;
  };
  EXPECT_TRUE(reads(whole));
  for (std::size_t size = 0; size < whole.size(); size += 5)
    ASSERT_FALSE(schedule::read_tzif(whole.substr(0, size))) << size;
  EXPECT_FALSE(reads(whole.substr(0, 100)));
  // Whatever one byte is turned to, it is read or refused, and never beyond its end.
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x80);
    const auto changes = schedule::read_tzif(bytes);
    ASSERT_TRUE(!changes || !changes->empty());
  }
}

TEST(PosixRule, GivesTheChangesOfAYear) {
  const auto changes = PosixRule::parse("EST5EDT,M3.2.0,M11.1.0")->changes(year(2026));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].at, utc(2026, 3, 8, 7h));
  EXPECT_EQ(changes[0].offset, -4h);
  EXPECT_EQ(changes[1].at, utc(2026, 11, 1, 6h));
  EXPECT_EQ(changes[1].offset, -5h);
}

TEST(PosixRule, ReadsEveryForm) {
  const auto first = [](const char* rule, int y) { return PosixRule::parse(rule)->changes(year(y)).at(0); };
  EXPECT_EQ(first("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026).at, utc(2026, 4, 4, 15h));  // the south's year
  EXPECT_EQ(first("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026).offset, 10h + 30min);
  EXPECT_EQ(first("A0B,J60/0,J300/0", 2028).at, utc(2028, 3, 1));  // J60 is 1 March in every year
  EXPECT_EQ(first("A0B,J60/0,J300/0", 2027).at, utc(2027, 3, 1));
  EXPECT_EQ(first("A0B,59/0,300/0", 2028).at, utc(2028, 2, 29));
  EXPECT_EQ(first("A0B,59/0,300/0", 2027).at, utc(2027, 3, 1));
  EXPECT_EQ(first("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026).at, utc(2026, 3, 29, 1h));  // Nuuk: the evening before
  EXPECT_EQ(first("IST-2IDT,M3.4.4/26,M10.5.0", 2026).at, utc(2026, 3, 27));  // Jerusalem: two hours into Friday
  EXPECT_TRUE(PosixRule::parse("UTC0")->changes(year(2026)).empty());
  EXPECT_EQ(PosixRule::parse("<+0545>-5:45")->standard(), 5h + 45min);
}

TEST(PosixRule, RefusesInvalidRules) {
  for (const auto text :
       {"", "5", "EST", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J5", "EST5EDT,J366,J5", "EST25", "EST5:60", "<EST5", "<>5",
        "EST5EDT,M3.2.0,M11.1.0 ", "EST5EDT,M3.2.0/168,M11.1.0", "\xff"})
    EXPECT_FALSE(PosixRule::parse(text)) << text;
}

}  // namespace schedule_time_zone_test
