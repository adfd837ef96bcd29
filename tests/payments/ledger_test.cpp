// The box's own USDC ledger, and what is settled on it.
#include "appliance/payments/ledger/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "appliance/payments/splits/settlement.h"
#include "appliance/payments/splits/splits.h"
#include "appliance/payments/wallets/wallets.h"
#include "tests/identity/people_fixture.h"

namespace ledger_test {

using ledger::Account;
using payments::Usdc;
using testing::IsEmpty;
using testing::SizeIs;

Usdc usdc(std::string_view text) { return Usdc::parse(text).value(); }

class LedgerTest : public people_tests::People {
 protected:
  web::Result<ledger::Transfer> transfer(ledger::Order order) { return run(ledger.transfer(std::move(order))); }
  void issue(const Account& to, Usdc amount) {
    ASSERT_TRUE(transfer(
        {.reference = "issue/" + std::to_string(++issued), .from = ledger::outside(), .to = to, .amount = amount}));
  }

  ledger::Ledger ledger{system};
  wallets::Wallets wallets{system};
  int issued = 0;
  const Account ann = ledger::of_user(1), bob = ledger::of_user(2), bot = ledger::of_agent(1, "bot");
};

TEST_F(LedgerTest, MovesMoneyAndKeepsBothSides) {
  issue(ann, usdc("10"));
  const auto made = transfer({.reference = "r1", .from = ann, .to = bob, .amount = usdc("2.5"), .memo = "lunch"});
  ASSERT_TRUE(made);
  EXPECT_EQ(ledger.balance(ann), usdc("7.5"));
  EXPECT_EQ(ledger.balance(bob), usdc("2.5"));
  EXPECT_EQ(ledger.balance(ledger::outside()), -usdc("10"));
  const auto history = ledger.history(bob, {});
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].amount, usdc("2.5").micro());
  EXPECT_EQ(history[0].memo, "lunch");
  EXPECT_THAT(ledger.differences(), IsEmpty());
}

TEST_F(LedgerTest, RefusesWhatTheBalanceDoesNotCover) {
  issue(ann, usdc("1"));
  const auto refused = transfer({.reference = "r1", .from = ann, .to = bob, .amount = usdc("1.000001")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "INSUFFICIENT_BALANCE");
  EXPECT_EQ(ledger.balance(ann), usdc("1"));
  EXPECT_THAT(ledger.history(bob, {}), IsEmpty());
  EXPECT_FALSE(ledger.find("r1")) << "the reference is still free";
}

TEST_F(LedgerTest, AReferenceCountsOnce) {
  issue(ann, usdc("5"));
  const ledger::Order order{.reference = "r1", .from = ann, .to = bob, .amount = usdc("2")};
  ASSERT_TRUE(transfer(order));
  ASSERT_TRUE(transfer(order));
  EXPECT_EQ(ledger.balance(bob), usdc("2"));
  auto other = order;
  other.amount = usdc("3");
  const auto refused = transfer(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, web::Kind::conflict);
}

TEST_F(LedgerTest, RefusesOrdersThatMakeNoSense) {
  issue(ann, usdc("5"));
  EXPECT_EQ(transfer({.reference = "a", .from = ann, .to = ann, .amount = usdc("1")}).error().kind, web::Kind::invalid);
  EXPECT_EQ(transfer({.reference = "b", .from = ann, .to = bob, .amount = {}}).error().kind, web::Kind::invalid);
  EXPECT_EQ(transfer({.reference = "c", .from = ann, .to = bob, .amount = -usdc("1")}).error().kind,
            web::Kind::invalid);
  EXPECT_EQ(transfer({.reference = "", .from = ann, .to = bob, .amount = usdc("1")}).error().kind, web::Kind::invalid);
}

TEST_F(LedgerTest, ASetOfTransfersHappensWholeOrNotAtAll) {
  issue(ann, usdc("3"));
  const std::vector<ledger::Order> orders{{.reference = "a", .from = ann, .to = bob, .amount = usdc("2")},
                                          {.reference = "b", .from = ann, .to = bot, .amount = usdc("2")}};
  EXPECT_FALSE(run(ledger.transfer_all(orders)));
  EXPECT_EQ(ledger.balance(ann), usdc("3"));
  issue(ann, usdc("1"));
  EXPECT_TRUE(run(ledger.transfer_all(orders)));
  EXPECT_TRUE(run(ledger.transfer_all(orders))) << "again";
  EXPECT_EQ(ledger.balance(ann), Usdc());
  EXPECT_EQ(ledger.balance(bot), usdc("2"));
}

TEST_F(LedgerTest, HistoryComesInPages) {
  for (int at = 0; at < 7; ++at) issue(ann, usdc("1"));
  issue(ledger::of_agent(1, "zzz"), usdc("1"));
  std::vector<std::string> references;
  ledger::Page page{.limit = 3};
  for (;;) {
    const auto found = ledger.history(ann, page);
    for (const auto& entry : found) references.push_back(entry.reference);
    if (found.size() < page.limit) break;
    page.before = found.back().id;
  }
  EXPECT_THAT(references,
              testing::ElementsAre("issue/7", "issue/6", "issue/5", "issue/4", "issue/3", "issue/2", "issue/1"));
}

// Every operation is applied to the ledger and to a model of it: plain sums in a map.
TEST_F(LedgerTest, RandomOperationsKeepEverySum) {
  std::mt19937 random(20261124);  // NOLINT: the same sequence each time
  const auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  const std::vector<Account> all{ann, bob, bot, ledger::of_agent(2, "b"), ledger::of_box("escrow"), ledger::outside()};
  std::map<Account, std::int64_t> model;
  std::vector<ledger::Order> done;
  for (int step = 0; step < 4'000; ++step) {
    if (!done.empty() && pick(5) == 0) {
      ASSERT_TRUE(transfer(done[static_cast<std::size_t>(pick(static_cast<int>(done.size())))])) << "a replay";
      continue;
    }
    std::vector<ledger::Order> orders;
    auto after = model;
    for (int leg = 0, legs = 1 + pick(3); leg < legs; ++leg) {
      const auto from = all[static_cast<std::size_t>(pick(6))], to = all[static_cast<std::size_t>(pick(6))];
      if (from == to) continue;
      const auto amount = 1 + pick(5'000'000);
      orders.push_back({.reference = "op/" + std::to_string(step) + "/" + std::to_string(leg),
                        .from = from,
                        .to = to,
                        .amount = Usdc::of_micro(amount)});
      after[from] -= amount;
      after[to] += amount;
    }
    const bool is_covered = std::ranges::all_of(
        after, [](const auto& entry) { return entry.second >= 0 || entry.first == ledger::outside(); });
    const auto made = run(ledger.transfer_all(orders));
    ASSERT_EQ(made.has_value(), is_covered) << "step " << step;
    if (!made) continue;
    model = after;
    for (auto& order : orders) done.push_back(std::move(order));
  }
  std::int64_t sum = 0;
  for (const auto& account : all) {
    EXPECT_EQ(ledger.balance(account).micro(), model[account]) << account.name;
    sum += ledger.balance(account).micro();
  }
  EXPECT_EQ(sum, 0);
  EXPECT_THAT(ledger.differences(), IsEmpty());
}

TEST_F(LedgerTest, ManyAtOnceWithOneReferenceMoveMoneyOnce) {
  issue(ann, usdc("100"));
  boost::asio::io_context io;
  int made = 0;
  for (int at = 0; at < 200; ++at)
    boost::asio::co_spawn(io, ledger.transfer({.reference = "once", .from = ann, .to = bob, .amount = usdc("1")}),
                          [&](const std::exception_ptr& failure, const web::Result<ledger::Transfer>& result) {
                            ASSERT_FALSE(failure);
                            made += result.has_value() ? 1 : 0;
                          });
  io.run();
  EXPECT_EQ(made, 200) << "everybody hears that it was made";
  EXPECT_EQ(ledger.balance(bob), usdc("1"));
}

TEST_F(LedgerTest, IsVerifiedWhileItIsWrittenTo) {
  issue(ann, usdc("1000"));
  std::atomic<bool> is_over = false;
  std::thread payer([&] {
    for (int at = 0; !is_over; ++at)
      run(ledger.transfer(
          {.reference = "load/" + std::to_string(at), .from = ann, .to = bob, .amount = Usdc::of_micro(1)}));
  });
  for (int round = 0; round < 30; ++round) EXPECT_THAT(ledger.differences(), IsEmpty());
  is_over = true;
  payer.join();
}

TEST_F(LedgerTest, FindsABalanceThatHasNoEntries) {
  issue(ann, usdc("1"));
  auto change = system.change();
  change.add(2, {"ledger/agent/ghost"}, -5);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_THAT(ledger.differences(),
              testing::ElementsAre("Account agent/ghost of 2 has a balance of 5 micro-USDC, but its entries sum to 0"));
}

// The first payer's chain makes no blocks.
class SlowSettlement final : public settlement::Settlement {
 public:
  std::string network() const override { return "ledger"; }
  web::Task<web::Result<settlement::Progress>> settle(settlement::Order order) override {
    using settlement::State;
    const auto state = order.payer_owner == 1 ? State::processing : State::settled;
    co_return settlement::Progress{.state = state};
  }
};

TEST_F(LedgerTest, SplitsThatWaitDoNotHoldUpThoseOfOtherUsers) {
  boost::asio::io_context home;
  SlowSettlement slow;
  splits::Splits splits(system, slow, home);
  const auto from = wallets::address_of(run(wallets.obtain(1, "user")));
  const auto order_of = [&](store::UserId owner, std::string key = {}) {
    splits::Request order{.owner = owner, .agent = "dj", .name = "gig", .from = from, .total = usdc("1")};
    order.key = std::move(key);
    order.recipients.push_back({from, 100});
    return order;
  };
  for (int at = 0; at < 120; ++at) ASSERT_TRUE(run(splits.create(order_of(1))));
  const auto other = run(splits.create(order_of(2, "once")));
  ASSERT_TRUE(other);
  EXPECT_EQ(run(splits.create(order_of(2, "once")))->number, other->number) << "the same key makes one split";
  auto changed = order_of(2, "once");
  changed.total = usdc("2");
  EXPECT_EQ(run(splits.create(changed)).error().code, "IDEMPOTENCY_KEY_ALREADY_USED");
  splits.start();
  const auto is_settled = [&] { return splits.find(2, other->number)->status == splits::Status::settled; };
  for (int round = 0; round < 300 && !is_settled(); ++round) home.run_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(is_settled());
  boost::asio::co_spawn(home, splits.stop(), [&](const std::exception_ptr&) { home.stop(); });
  home.run();
}

TEST_F(LedgerTest, SettlementPaysEachShareOnce) {
  const auto payer = run(wallets.obtain(1, "agent/bot")), first = run(wallets.obtain(2, "user"));
  issue(bot, usdc("10"));
  settlement::LedgerSettlement settlement(ledger, wallets);
  const settlement::Order order{
      .reference = "split/1",
      .payer_owner = 1,
      .from = wallets::address_of(payer),
      .shares = {{wallets::address_of(first), usdc("4")}, {wallets::address_of(payer), usdc("6")}}};
  for (int time = 0; time < 3; ++time) {
    const auto progress = run(settlement.settle(order));
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->state, settlement::State::settled) << progress->reason;
  }
  EXPECT_EQ(ledger.balance(bob), usdc("4"));
  EXPECT_EQ(ledger.balance(bot), usdc("6"));
  auto foreign = order;
  foreign.payer_owner = 2;
  EXPECT_EQ(run(settlement.settle(foreign))->state, settlement::State::failed);
}

TEST_F(LedgerTest, WalletsAreMadeOnce) {
  const auto made = run(wallets.obtain(1, "user"));
  EXPECT_EQ(run(wallets.obtain(1, "user")).address, made.address);
  EXPECT_FALSE(run(wallets.create(1, "user")));
  EXPECT_NE(run(wallets.obtain(2, "user")).address, made.address);
  EXPECT_EQ(wallets.find_address(wallets::address_of(made))->owner, 1);
  EXPECT_EQ(wallets.signer(1, "user")->address(), wallets::address_of(made));
  EXPECT_FALSE(wallets.signer(1, "agent/none"));
}

}  // namespace ledger_test
