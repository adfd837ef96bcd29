// Money across kill -9: a process moves it at random until it is killed, again and again, and what it had acknowledged
// is there, once. AGENTBOX_MONEY_OPERATIONS sets how many operations have to be acknowledged in all.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "appliance/access/records.h"
#include "appliance/billing/credits/credits.h"
#include "appliance/box/open_store.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/splits/settlement.h"
#include "appliance/payments/wallets/wallets.h"
#include "tests/support/temporary_folder.h"

namespace money_crash_test {

using namespace std::chrono_literals;
using ledger::Account;
using payments::Usdc;

constexpr std::int64_t users = 6;
constexpr int at_once = 64;

struct Money {
  explicit Money(const std::filesystem::path& folder)
      : store([&] {
          agentbox::Settings settings;
          settings.data = folder;
          return agentbox::open_store(settings);
        }()) {}
  std::unique_ptr<store::Store> store;
  store::System system = store->system();
  ledger::Ledger ledger{system};
  wallets::Wallets wallets{system};
  credits::Credits credits{system};
  settlement::LedgerSettlement settlement{ledger, wallets};
};

template <class T>
T run(web::Task<T> task) {
  boost::asio::io_context io;
  std::optional<T> result;
  boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr failure, T value) {
    if (failure) std::rethrow_exception(failure);
    result = std::move(value);
  });
  io.run();
  return std::move(*result);
}

// Acknowledgements are numbers on a pipe: writes of a few bytes are whole or absent.
struct Acknowledged {
  std::int32_t step = 0;
  std::int8_t kind = 0;
};
enum Kind : std::int8_t { transferred, settled, credited, refunded };

std::string reference(int round, int step) { return "op/" + std::to_string(round) + "/" + std::to_string(step); }

web::Task<> one_operation(Money& money, int round, std::int32_t step, std::uint32_t chance, int acknowledgements) {
  std::mt19937 random(chance);
  const auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  const auto person = [&] { return std::int64_t(1 + pick(users)); };
  const std::string name = reference(round, step);
  const auto amount = Usdc::of_micro(1 + pick(3'000'000));
  bool is_done = false;
  const auto kind = static_cast<Kind>(pick(4));
  if (kind == transferred) {
    const auto from = pick(3) == 0 ? ledger::outside() : ledger::of_user(person());
    ledger::Order order{.reference = name, .from = from, .to = ledger::of_box("escrow"), .amount = amount};
    if (pick(2) == 0) order.to = ledger::of_user(person());
    if (order.to != order.from) is_done = bool(co_await money.ledger.transfer(std::move(order)));
  } else if (kind == settled) {
    const auto payer = money.wallets.find(person(), "user"), first = money.wallets.find(person(), "user");
    settlement::Order order{.reference = name, .payer_owner = payer->owner, .from = wallets::address_of(*payer)};
    order.shares.push_back({wallets::address_of(*first), amount});
    const auto progress = co_await money.settlement.settle(std::move(order));
    is_done = progress && progress->state == settlement::State::settled && payer->owner != first->owner;
  } else {
    const auto cents = usage::Money::of_units(std::int64_t(1 + pick(1'000)) * 10'000'000'000);
    credits::Adjustment adjustment{
        .amount = kind == refunded ? usage::Money() - cents : cents, .reason = name, .by = "test"};
    is_done = bool(co_await money.credits.adjust(person(), std::move(adjustment)));
  }
  const Acknowledged made{.step = step, .kind = kind};
  if (is_done) std::ignore = ::write(acknowledgements, &made, sizeof made);
}

// Never returns: the parent kills it.
[[noreturn]] void move_money(const std::filesystem::path& folder, int round, int acknowledgements) {
  Money money(folder);
  std::mt19937 random(static_cast<std::uint32_t>(round));  // NOLINT: the same sequence each time
  for (std::int32_t step = 0;;) {
    boost::asio::io_context io;
    for (int count = 0; count < at_once; ++count, ++step)
      boost::asio::co_spawn(io, one_operation(money, round, step, random(), acknowledgements), boost::asio::detached);
    io.run();
  }
}

class MoneyCrashTest : public testing::Test {
 protected:
  void SetUp() override {
    Money money(folder.path());
    for (std::int64_t id = 1; id <= users; ++id) {
      auto change = money.system.change();
      change.insert(accounts::users, accounts::User{.id = id, .email = std::to_string(id) + "@example.org"});
      ASSERT_TRUE(run(commit(std::move(change))));
      run(money.wallets.obtain(id, "user"));
    }
  }
  static web::Task<bool> commit(store::Change change) { co_return (co_await change.commit()).ok(); }

  // Returns what the child had acknowledged before it was killed.
  std::vector<Acknowledged> one_round(int round) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const auto child = ::fork();
    if (child == 0) move_money(folder.path(), round, ends[1]);
    ::close(ends[1]);
    std::vector<Acknowledged> made;
    // After the store is open and the first operations are made, at some point.
    std::mt19937 random(static_cast<std::uint32_t>(7 * round));  // NOLINT
    const auto enough = std::uniform_int_distribution<std::size_t>(1, per_round)(random);
    for (Acknowledged one; made.size() < enough && ::read(ends[0], &one, sizeof one) == sizeof one;)
      made.push_back(one);
    ::kill(child, SIGKILL);
    for (Acknowledged one; ::read(ends[0], &one, sizeof one) == sizeof one;) made.push_back(one);
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    return made;
  }

  void check(int round, const std::vector<Acknowledged>& made) {
    Money money(folder.path());
    for (const auto& [step, kind] : made) {
      const auto name = reference(round, step);
      const bool is_there = kind == transferred ? bool(money.ledger.find(name))
                            : kind == settled   ? bool(money.ledger.find(name + "/0"))
                                                : true;  // see the sums below
      EXPECT_TRUE(is_there) << name;
    }
    EXPECT_THAT(money.ledger.differences(), testing::IsEmpty()) << "each balance is the sum of its entries";
    std::int64_t sum =
        money.ledger.balance(ledger::outside()).micro() + money.ledger.balance(ledger::of_box("escrow")).micro();
    for (std::int64_t id = 1; id <= users; ++id) sum += money.ledger.balance(ledger::of_user(id)).micro();
    EXPECT_EQ(sum, 0);
    const auto month = usage::Period::month(store::now());
    for (std::int64_t id = 1; id <= users; ++id) {
      const auto sums = money.credits.sums(id, month);
      EXPECT_EQ(sums.opening + sums.bought + sums.referral + sums.spent + sums.refunded + sums.adjusted, sums.closing);
      EXPECT_EQ(sums.closing, money.credits.balance(id).total());
      EXPECT_GE(sums.closing, usage::Money());
    }
  }

  const std::size_t wanted = [] {
    const char* given = std::getenv("AGENTBOX_MONEY_OPERATIONS");
    return given ? std::strtoull(given, nullptr, 10) : 1'500;
  }();
  const std::size_t per_round = std::max<std::size_t>(wanted / 4, 100);
  test_support::TemporaryFolder folder;
};

TEST_F(MoneyCrashTest, WhatWasAcknowledgedIsThereOnceAndEverySumHolds) {
  std::size_t acknowledged = 0;
  for (int round = 1; acknowledged < wanted && !HasFailure(); ++round) {
    const auto made = one_round(round);
    acknowledged += made.size();
    check(round, made);
  }
}

}  // namespace money_crash_test
