// Money and the ledger.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/name_collector.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace usage_test {

using namespace test_support;
using testing::SizeIs;
using usage::Money;
using usage::Period;

struct Amount {
  std::string text, shown;
};

class MoneyText : public testing::TestWithParam<Amount> {};

TEST_P(MoneyText, RoundTrips) {
  const auto money = Money::parse(GetParam().text);
  ASSERT_TRUE(money) << GetParam().text;
  EXPECT_EQ(money->to_string(), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Amounts, MoneyText,
                         testing::Values(Amount{"0", "0.00"}, Amount{"3", "3.00"}, Amount{"0.15", "0.15"},
                                         Amount{"1.5", "1.50"}, Amount{"-2.25", "-2.25"},
                                         Amount{"0.000000000001", "0.000000000001"}, Amount{"9000000", "9000000.00"},
                                         Amount{"0.10", "0.10"}));

TEST(Money, RejectsInvalidAmounts) {
  for (const auto* text :
       {"", ".", "1.", ".5", "1e3", "+1", "1,5", "--1", "abc", "0.0000000000001", "99999999999", " 1"}) {
    EXPECT_FALSE(Money::parse(text)) << text;
  }
}

TEST(Money, SumsSaturate) {
  const auto most = Money::of_units(INT64_MAX), least = Money::of_units(INT64_MIN), one = Money::of_units(1);
  EXPECT_EQ((most + one).units(), INT64_MAX);
  EXPECT_EQ((most + most).units(), INT64_MAX);
  EXPECT_EQ((least - one).units(), INT64_MIN);
  EXPECT_EQ((most - least).units(), INT64_MAX);
  EXPECT_EQ((most + least).units(), -1);
}

TEST(Money, PricesAreExact) {
  EXPECT_EQ(usage::price_of(1, *Money::parse("0.15")).units(), 150'000);
  EXPECT_EQ(usage::price_of(1'000'000, *Money::parse("0.15")).to_string(), "0.15");
  EXPECT_EQ(usage::price_of(0, *Money::parse("15")).units(), 0);
  EXPECT_EQ(usage::price_of(INT64_MAX, *Money::parse("15")).units(), INT64_MAX) << "saturates";
}

class UsageTest : public testing::Test {
 protected:
  UsageTest()
      : store(store::Store::open({.folder = folder.path() / "store",
                                  .master_key = std::string(32, 'k'),
                                  .tables = {store::describe(usage::calls), store::describe(usage::reservations),
                                             store::describe(usage::names)}})),
        ledger(store->system()) {}

  void record(usage::Call call) {
    await([](usage::Ledger& into, usage::Call row) -> web::Task<int> {
      co_await into.record(std::move(row));
      co_return 0;
    }(ledger, std::move(call)));
  }
  static store::Time at(std::chrono::year_month_day date) {
    return std::chrono::sys_days(date) + std::chrono::hours(12);
  }

  TemporaryFolder folder;
  std::unique_ptr<store::Store> store;
  usage::Ledger ledger;
};

using namespace std::chrono_literals;

TEST_F(UsageTest, CountsByDayMonthAgentAndModel) {
  const auto first = at(2026y / 11 / 21), second = at(2026y / 11 / 22);
  record({.user_id = 1,
          .at = first,
          .agent = "a",
          .provider = "openrouter",
          .model = "x/y",
          .input_tokens = 10,
          .output_tokens = 5,
          .cost = 700,
          .priced = true,
          .outcome = "ok"});
  record({.user_id = 1,
          .at = second,
          .agent = "b",
          .provider = "openrouter",
          .model = "x/y",
          .input_tokens = 1,
          .output_tokens = 1,
          .cost = 300,
          .priced = true,
          .outcome = "ok"});
  record({.user_id = 1, .at = second, .provider = "openrouter", .model = "x/z", .outcome = "timeout"});
  record({.user_id = 2, .at = first, .agent = "a", .model = "x/y", .input_tokens = 99, .outcome = "ok"});

  const auto month = ledger.totals(1, Period::month(first));
  EXPECT_EQ(month.calls, 3);
  EXPECT_EQ(month.failed, 1);
  EXPECT_EQ(month.input_tokens, 11);
  EXPECT_EQ(month.output_tokens, 6);
  EXPECT_EQ(month.cost.units(), 1'000);
  EXPECT_EQ(ledger.totals(1, Period::day(first)).calls, 1);
  EXPECT_EQ(ledger.totals(1, Period::day(second)).failed, 1);
  EXPECT_EQ(ledger.agent_totals(1, "a", Period::month(first)).input_tokens, 10);
  EXPECT_EQ(ledger.totals_by(1, "model", Period::month(first)).at("x/y").calls, 2);
  EXPECT_EQ(ledger.totals(1, Period::month(at(2026y / 12 / 1))).calls, 0);
  EXPECT_EQ(ledger.totals(2, Period::month(first)).input_tokens, 99);

  const auto rows = ledger.newest(1, 2);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].at, second);
  EXPECT_EQ(rows[1].at, second);
  EXPECT_THAT(ledger.newest(1, 10), SizeIs(3));
  const auto earlier = ledger.newest(1, 10, rows[1].id);
  ASSERT_THAT(earlier, SizeIs(1));
  EXPECT_EQ(earlier[0].at, first);
  EXPECT_THAT(ledger.newest(1, 10, earlier[0].id), SizeIs(0));
}

TEST(Period, ParsesItsOwnName) {
  for (const auto* name : {"2026-11", "2026-01", "2026-12"}) EXPECT_EQ(Period::month_named(name)->name(), name);
  for (const auto* name : {"", "2026", "2026-00", "2026-13", "2026-1", "2026-111", "2026-11-21", "2026/11", "+026-11",
                           "last-11", "2026-1x"})
    EXPECT_FALSE(Period::month_named(name)) << name;
}

TEST_F(UsageTest, PeriodsAreCalendarDaysAndMonthsInUtc) {
  const auto midnight = store::Time(std::chrono::sys_days(2026y / 3 / 1));
  EXPECT_EQ(Period::day(midnight).name(), "2026-03-01");
  EXPECT_EQ(Period::day(midnight - 1ms).name(), "2026-02-28");
  EXPECT_EQ(Period::month(midnight - 1ms).name(), "2026-02");
  EXPECT_EQ(usage::next_month(at(2026y / 12 / 31)), store::Time(std::chrono::sys_days(2027y / 1 / 1)));
  EXPECT_EQ(usage::months_before(at(2026y / 3 / 31), 1), store::Time(std::chrono::sys_days(2026y / 2 / 1)));
}

TEST_F(UsageTest, NamesAreRemovedAfterAYearAndCountersKept) {
  const auto now = at(2026y / 11 / 21);
  std::size_t old_months = 0;
  for (const auto when : {at(2026y / 11 / 1), at(2025y / 11 / 1), at(2025y / 10 / 31), at(2024y / 12 / 5)}) {
    for (const store::UserId user : {store::UserId{1}, store::UserId{2}, usage::demo_user})
      record({.user_id = user, .at = when, .agent = "a", .model = "m", .input_tokens = 1, .outcome = "ok"});
    old_months += when < at(2025y / 11 / 1) ? 1 : 0;
  }
  boost::asio::thread_pool blocking(1);
  usage::NameCollector sweep(store->system(), blocking);
  constexpr std::size_t users = 3, names_each = 2;
  EXPECT_EQ(await(sweep.run(now)), old_months * users * names_each);
  EXPECT_EQ(await(sweep.run(now)), 0u);
  for (const auto kept : {at(2026y / 11 / 1), at(2025y / 11 / 1)})
    EXPECT_THAT(ledger.totals_by(usage::demo_user, "agent", Period::month(kept)), SizeIs(1));
  const auto gone = Period::month(at(2025y / 10 / 31));
  EXPECT_THAT(ledger.totals_by(1, "agent", gone), SizeIs(0));
  EXPECT_EQ(ledger.totals(1, gone).input_tokens, 1);
}

TEST_F(UsageTest, ManyOldNamesAreRemovedInSeveralChanges) {
  for (int tool = 0; tool < 60; ++tool) {
    usage::Call call{.user_id = 1, .at = at(2020y / 1 / 1), .model = "m", .outcome = "ok"};
    for (int other = 0; other < 20; ++other) call.tools.push_back(std::to_string(tool * 20 + other));
    record(std::move(call));
  }
  boost::asio::thread_pool blocking(1);
  usage::NameCollector sweep(store->system(), blocking);
  EXPECT_EQ(await(sweep.run(at(2026y / 11 / 21))), 1201u);
}

TEST_F(UsageTest, SurvivesARestart) {
  record({.user_id = 1, .at = at(2026y / 11 / 21), .model = "m", .input_tokens = 7, .outcome = "ok"});
  store.reset();
  store = store::Store::open(
      {.folder = folder.path() / "store",
       .master_key = std::string(32, 'k'),
       .tables = {store::describe(usage::calls), store::describe(usage::reservations), store::describe(usage::names)}});
  usage::Ledger again(store->system());
  EXPECT_EQ(again.totals(1, Period::day(at(2026y / 11 / 21))).input_tokens, 7);
  EXPECT_THAT(again.newest(1, 5), SizeIs(1));
}

}  // namespace usage_test
