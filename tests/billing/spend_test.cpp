// Spend that cannot overrun: many callers at once, faults of every kind, boxes that die in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <random>
#include <variant>

#include "appliance/billing/spending/caps.h"
#include "appliance/billing/usage/ledger.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace spend_test {

using namespace test_support;
using testing::SizeIs;
using testing::VariantWith;
using usage::Period;
using usage::TallyField;

constexpr store::UserId user = 7;

std::unique_ptr<store::Store> open_at(const std::filesystem::path& folder) {
  return store::Store::open({.folder = folder,
                             .master_key = std::string(32, 'k'),
                             .tables = {store::describe(usage::calls), store::describe(usage::reservations),
                                        store::describe(usage::names), store::describe(billing::caps)}});
}

usage::Call call_of(std::string agent, std::string key, std::int64_t input, std::int64_t output) {
  return {.user_id = user,
          .at = store::now(),
          .agent = std::move(agent),
          .key = std::move(key),
          .provider = "stand-in",
          .model = "x/y",
          .input_tokens = input,
          .output_tokens = output,
          .estimated = true,
          .cost = 3 * input + 15 * output,
          .priced = true,
          .outcome = "interrupted"};
}

std::int64_t tokens(const usage::Call& call) { return call.input_tokens + call.output_tokens; }

// What the world knows to have been used: by everybody, by the agent, and with the key.
struct Truth {
  std::int64_t all_tokens = 0, agent_tokens = 0, key_cost = 0, all_cost = 0;
  void add(const usage::Call& used) {
    all_tokens += tokens(used);
    all_cost += used.cost;
    if (used.agent == "a") agent_tokens += tokens(used);
    if (used.key == "k") key_cost += used.cost;
  }
};

struct Caps {
  std::int64_t all_tokens, agent_tokens, key_cost;
  std::vector<usage::Limit> limits(const usage::Call& call) const {
    const auto month = Period::month(call.at), day = Period::day(call.at);
    std::vector<usage::Limit> limits{
        {.tally = usage::tally(month, "all").name, .most = all_tokens, .field = TallyField::tokens, .name = "quota"}};
    if (call.agent == "a") {
      limits.push_back({.tally = usage::tally(day, "agent/a").name,
                        .most = agent_tokens,
                        .field = TallyField::tokens,
                        .name = "agent"});
    }
    if (call.key == "k") {
      limits.push_back(
          {.tally = usage::tally(month, "key/k").name, .most = key_cost, .field = TallyField::cost, .name = "key"});
    }
    return limits;
  }
};

class Round {
 public:
  Round(usage::Ledger& ledger, const Caps& caps, Truth& truth, unsigned seed)
      : ledger_(ledger), caps_(caps), truth_(truth), random_(seed) {}

  // One caller after the other's manner: reserves, asks, and one of the things happens that happen.
  web::Task<> caller() {
    for (int turn = 0; turn < 6; ++turn) {
      auto most = call_of(pick(2) ? "a" : "b", pick(2) ? "k" : "", pick(200), 1 + pick(400));
      const auto limits = caps_.limits(most);
      auto reserved = co_await ledger_.reserve(most, limits);
      auto* reservation = std::get_if<usage::Reservation>(&reserved);
      if (!reservation) {
        ++refused;
        continue;
      }
      auto used = most;
      const auto fate = pick(10);
      if (fate == 0) co_return;  // the box dies with the call under way, before or after the upstream worked
      used.output_tokens = pick(most.output_tokens + 1);
      used.input_tokens = pick(most.input_tokens + 1);
      if (fate == 1) used.input_tokens = used.output_tokens = 0;  // refused by the upstream
      used.cost = 3 * used.input_tokens + 15 * used.output_tokens;
      truth_.add(used);  // now the upstream has worked
      if (fate == 2) co_return;
      co_await web::sleep_for(std::chrono::microseconds(pick(300)));
      used.outcome = fate == 1 ? "overloaded" : "ok";
      co_await ledger_.settle(std::move(used), std::move(*reservation));
      ++settled;
    }
  }
  int refused = 0, settled = 0;

 private:
  std::int64_t pick(std::int64_t below) {
    return below <= 0 ? 0 : std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }
  usage::Ledger& ledger_;
  const Caps& caps_;
  Truth& truth_;
  std::mt19937 random_;
};

TEST(Spend, NeverExceedsACapAndLosesNoUsage) {
  TemporaryFolder folder;
  const Caps caps{.all_tokens = 60'000, .agent_tokens = 25'000, .key_cost = 300'000};
  Truth truth;
  int refused = 0, settled = 0;
  const auto start = store::now();
  for (unsigned round = 0; round < 8; ++round) {
    boost::asio::io_context io;  // outlives the store's writer, which resumes callers on it
    auto store = open_at(folder.path() / "store");
    usage::Ledger ledger(store->system());
    ledger.settle_leftovers();
    const auto spent = [&](const Period& period, const char* slice, TallyField field) {
      return ledger.spent(user, usage::tally(period, slice), field);
    };
    const auto month = Period::month(start), day = Period::day(start);
    EXPECT_LE(spent(month, "all", TallyField::tokens), caps.all_tokens);
    EXPECT_LE(spent(day, "agent/a", TallyField::tokens), caps.agent_tokens);
    EXPECT_LE(spent(month, "key/k", TallyField::cost), caps.key_cost);
    EXPECT_GE(spent(month, "all", TallyField::tokens), truth.all_tokens);
    EXPECT_GE(spent(day, "agent/a", TallyField::tokens), truth.agent_tokens);
    EXPECT_GE(spent(month, "key/k", TallyField::cost), truth.key_cost);
    const auto totals = ledger.totals(user, month);
    EXPECT_EQ(totals.total_tokens(), spent(month, "all", TallyField::tokens))
        << "with nothing under way both are the same";
    EXPECT_EQ(totals.cost.units(), spent(month, "all", TallyField::cost));
    EXPECT_EQ(ledger.settle_leftovers(), 0U);

    Round callers(ledger, caps, truth, round);
    for (int i = 0; i < 64; ++i) boost::asio::co_spawn(io, callers.caller(), boost::asio::detached);
    // Every second box is cut down with calls in every state of being made.
    if (round % 2 == 1) {
      for (int steps = 0; steps < 400 && io.run_one() > 0; ++steps) {
      }
    } else {
      io.run();
    }
    refused += callers.refused;
    settled += callers.settled;
  }
  EXPECT_GT(refused, 50) << "the caps were met";
  EXPECT_GT(settled, 50);
  ASSERT_EQ(Period::day(store::now()).name(), Period::day(start).name()) << "midnight came in between: run it again";
}

class SpendTest : public testing::Test {
 protected:
  using Answer = std::variant<usage::Reservation, std::size_t>;
  Answer reserve(const usage::Call& call, std::vector<usage::Limit> limits) {
    return await([](usage::Ledger& into, usage::Call most, std::vector<usage::Limit> within) -> web::Task<Answer> {
      co_return co_await into.reserve(std::move(most), within);
    }(ledger, call, std::move(limits)));
  }
  usage::Reservation reserve(const usage::Call& call) { return std::get<usage::Reservation>(reserve(call, {})); }
  void settle(usage::Call call, usage::Reservation reservation) {
    await([](usage::Ledger& into, usage::Call used, usage::Reservation reserved) -> web::Task<int> {
      co_await into.settle(std::move(used), std::move(reserved));
      co_return 0;
    }(ledger, std::move(call), std::move(reservation)));
  }
  usage::Limit max_tokens(std::int64_t most) {
    return {.tally = usage::tally(Period::month(store::now()), "all").name,
            .most = most,
            .field = TallyField::tokens,
            .name = std::to_string(most)};
  }

  TemporaryFolder folder;
  std::unique_ptr<store::Store> store = open_at(folder.path() / "store");
  usage::Ledger ledger{store->system()};
};

TEST_F(SpendTest, ReturnsTheLowestExceededLimit) {
  const auto call = call_of("a", "", 50, 60);
  EXPECT_THAT(reserve(call, {max_tokens(500), max_tokens(100), max_tokens(105)}), VariantWith<std::size_t>(1));
  auto reserved = reserve(call, {max_tokens(500), max_tokens(110)});
  ASSERT_TRUE(std::holds_alternative<usage::Reservation>(reserved));
  const auto another = call_of("a", "", 1, 0);
  EXPECT_THAT(reserve(another, {max_tokens(110)}), VariantWith<std::size_t>(0)) << "what is reserved counts";
  auto used = call;
  used.output_tokens = 10;
  used.outcome = "ok";
  settle(used, std::get<usage::Reservation>(std::move(reserved)));
  EXPECT_TRUE(std::holds_alternative<usage::Reservation>(reserve(another, {max_tokens(110)})))
      << "what was not used is free again";
}

TEST_F(SpendTest, ACallIsSettledOnlyOnce) {
  const auto call = call_of("", "k", 5, 5);
  const auto reserved = reserve(call);
  auto other = reserved;
  other.stored.back() = ' ';
  EXPECT_THROW(settle(call, other), std::logic_error) << "that is not what was reserved";
  settle(call, reserved);
  EXPECT_THROW(settle(call, reserved), std::logic_error);
  EXPECT_EQ(ledger.totals(user, Period::month(store::now())).calls, 1);
}

TEST_F(SpendTest, ReservationsLeftByACrashAreSettledAtTheirMaximum) {
  reserve(call_of("a", "", 40, 60));
  EXPECT_EQ(ledger.totals(user, Period::month(store::now())).calls, 0);
  store.reset();
  store = open_at(folder.path() / "store");
  usage::Ledger next(store->system());
  EXPECT_EQ(next.settle_leftovers(), 1U);
  EXPECT_EQ(next.settle_leftovers(), 0U);
  const auto row = next.newest(user, 2).at(0);
  EXPECT_EQ(row.outcome, "interrupted");
  EXPECT_TRUE(row.estimated);
  EXPECT_EQ(next.totals(user, Period::month(store::now())).total_tokens(), 100);
  EXPECT_EQ(next.spent(user, usage::tally(Period::day(store::now()), "agent/a"), TallyField::tokens), 100);
}

TEST_F(SpendTest, ListsByAgentModelAndTool) {
  auto used = call_of("a", "k", 3, 4);
  auto reserved = reserve(used);
  used.tools = {"read_file", "write_file"};
  used.outcome = "ok";
  settle(used, std::move(reserved));
  const auto month = Period::month(store::now());
  EXPECT_THAT(ledger.totals_by(user, "tool", month), SizeIs(2));
  EXPECT_EQ(ledger.totals_by(user, "model", month).at("x/y").total_tokens(), 7);
  EXPECT_EQ(ledger.totals_by(user, "agent", month).at("a").calls, 1);
  EXPECT_EQ(ledger.totals_by(user, "key", month).at("k").cost.units(), 9 + 60);
}

}  // namespace spend_test
