// Credits: whatever happens, and whenever the box ends, an account is the sum of its entries and never below zero.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <random>
#include <variant>

#include "appliance/access/records.h"
#include "appliance/billing/credits/credits.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/foundation/ordered_id.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace credits_test {

using namespace test_support;
using credits::EntryKind;
using testing::ElementsAre;
using testing::SizeIs;
using usage::Money;
using usage::Period;

constexpr store::UserId user = 7;

std::unique_ptr<store::Store> open_at(const std::filesystem::path& folder) {
  return store::Store::open({.folder = folder,
                             .master_key = std::string(32, 'k'),
                             .tables = {store::describe(usage::calls), store::describe(usage::reservations),
                                        store::describe(usage::names), store::describe(credits::entries),
                                        store::describe(credits::choices), store::describe(accounts::users)}});
}

Money cents(std::int64_t count) { return Money::of_units(count * credits::credit.units()); }

credits::Entry grant_of(EntryKind kind, Money amount, std::string reference = {}) {
  const auto now = store::now();
  return {.user_id = user,
          .id = agentbox::ordered_id(now),
          .at = now,
          .kind = kind,
          .amount = amount.units(),
          .reference = std::move(reference),
          .note = "a test",
          .by = {}};
}

usage::Call paid_call(Money most) {
  return {.user_id = user,
          .at = store::now(),
          .provider = "stand-in",
          .model = "x/y",
          .input_tokens = 10,
          .output_tokens = 20,
          .estimated = true,
          .cost = most.units(),
          .priced = true,
          .credits = most.units(),
          .outcome = "interrupted"};
}

const std::vector<usage::Limit> within_credits{usage::limit_of_credits("credits")};

// The sum of the entries, read one by one.
Money sum_of_entries(const credits::Credits& credits) {
  Money sum;
  for (const auto& entry : credits.newest(user, 1'000'000)) sum += Money::of_units(entry.amount);
  return sum;
}

void expect_exact(const credits::Credits& credits) {
  const auto balance = credits.balance(user);
  EXPECT_GE(balance.available, Money());
  EXPECT_GE(balance.reserved, Money());
  EXPECT_EQ(balance.total(), sum_of_entries(credits));
  const auto sums = credits.sums(user, Period::month(store::now()));
  EXPECT_EQ(sums.opening, Money());
  EXPECT_EQ(sums.closing, balance.total());
  EXPECT_EQ(sums.bought + sums.referral + sums.spent + sums.refunded + sums.adjusted, sums.closing);
}

class Round {
 public:
  Round(store::System system, usage::Ledger& ledger, credits::Credits& credits, unsigned seed)
      : system_(std::move(system)), ledger_(ledger), credits_(credits), random_(seed) {}

  web::Task<> caller() {
    for (int turn = 0; turn < 12; ++turn) {
      const auto amount = Money::of_units(1 + pick(3 * credits::credit.units()));
      switch (pick(5)) {
        case 0:
          co_await grant(amount);
          break;
        case 1: {
          const auto difference = pick(2) ? amount : Money() - amount;
          co_await adjust(difference);
          break;
        }
        default:
          if (!co_await call(amount)) co_return;
      }
      EXPECT_GE(credits_.balance(user).available, Money());
    }
  }
  int refused = 0, settled = 0, granted = 0;

 private:
  web::Task<> grant(Money amount) {
    auto change = system_.change();
    const auto kind = pick(2) ? EntryKind::bought : EntryKind::referral;
    credits::add(change, grant_of(kind, amount, "once/" + std::to_string(pick(1'000'000'000))));
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    granted += outcome.ok() ? 1 : 0;
  }
  web::Task<> adjust(Money amount) {
    auto change = system_.change();
    credits::add(change, grant_of(EntryKind::adjusted, amount));
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    refused += outcome.ok() ? 0 : 1;
  }
  // False: the box ends with the call in progress.
  web::Task<bool> call(Money most) {
    auto asked = paid_call(most);
    auto reserved = co_await ledger_.reserve(std::move(asked), within_credits);
    auto* reservation = std::get_if<usage::Reservation>(&reserved);
    if (!reservation) {
      ++refused;
      co_return true;
    }
    if (pick(20) == 0) co_return false;
    auto used = reservation->most;
    used.cost = used.credits = pick(4) ? pick(most.units() + 1) : 0;
    used.outcome = "ok";
    co_await ledger_.settle(std::move(used), std::move(*reservation));
    ++settled;
    co_return true;
  }
  std::int64_t pick(std::int64_t below) { return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_); }

  store::System system_;
  usage::Ledger& ledger_;
  credits::Credits& credits_;
  std::mt19937_64 random_;
};

TEST(Credits, AreTheSumOfTheirEntriesThroughCrashes) {
  TemporaryFolder folder;
  int refused = 0, settled = 0, granted = 0;
  const auto start = store::now();
  for (unsigned round = 0; round < 10; ++round) {
    boost::asio::io_context io;  // outlives the store's writer, which resumes callers on it
    const auto store = open_at(folder.path() / "store");
    usage::Ledger ledger(store->system());
    credits::Credits credits(store->system());
    ledger.settle_leftovers();
    EXPECT_EQ(credits.balance(user).reserved, Money()) << "nothing is in progress";
    expect_exact(credits);

    Round callers(store->system(), ledger, credits, round);
    for (int i = 0; i < 64; ++i) boost::asio::co_spawn(io, callers.caller(), boost::asio::detached);
    // Every second box ends with changes in every state of being made.
    if (round % 2 == 1) {
      for (int steps = 0; steps < 800 && io.run_one() > 0; ++steps) {
      }
    } else {
      io.run();
      expect_exact(credits);
    }
    refused += callers.refused;
    settled += callers.settled;
    granted += callers.granted;
  }
  EXPECT_GT(refused, 50) << "the account was empty";
  EXPECT_GT(settled, 500);
  EXPECT_GT(granted, 200);
  ASSERT_EQ(Period::month(store::now()).name(), Period::month(start).name()) << "the month ended: run it again";
}

class CreditsTest : public testing::Test {
 protected:
  store::Outcome add(const credits::Entry& entry) {
    auto change = store->system().change();
    credits::add(change, entry);
    return change.commit_blocking();
  }

  TemporaryFolder folder;
  std::unique_ptr<store::Store> store = open_at(folder.path() / "store");
  credits::Credits credits{store->system()};
};

TEST_F(CreditsTest, AreAddedOncePerCause) {
  EXPECT_TRUE(add(grant_of(EntryKind::bought, cents(500), "stripe/cs_1")).ok());
  EXPECT_TRUE(add(grant_of(EntryKind::bought, cents(500), "stripe/cs_1")).duplicate("reference"));
  EXPECT_EQ(credits.balance(user).available, cents(500));
}

TEST_F(CreditsTest, TakeNoMoreThanThereIs) {
  add(grant_of(EntryKind::referral, cents(100)));
  EXPECT_EQ(add(grant_of(EntryKind::adjusted, Money() - cents(101))).kind, store::Outcome::Kind::over_bound);
  EXPECT_TRUE(add(grant_of(EntryKind::adjusted, Money() - cents(100))).ok());
  EXPECT_EQ(credits.balance(user).available, Money());
  EXPECT_THAT(credits.listed(user, Period::month(store::now())), SizeIs(2));
}

TEST_F(CreditsTest, ReserveTheMaximumOfACallAndGiveBackTheRest) {
  usage::Ledger ledger(store->system());
  add(grant_of(EntryKind::bought, cents(10)));
  using Answer = std::variant<usage::Reservation, std::size_t>;
  const auto reserve = [&](Money most) {
    return await([](usage::Ledger& into, usage::Call call) -> web::Task<Answer> {
      co_return co_await into.reserve(std::move(call), within_credits);
    }(ledger, paid_call(most)));
  };
  EXPECT_TRUE(std::holds_alternative<std::size_t>(reserve(cents(11))));
  auto reservation = std::get<usage::Reservation>(reserve(cents(8)));
  EXPECT_EQ(credits.balance(user).available, cents(2));
  EXPECT_EQ(credits.balance(user).reserved, cents(8));
  EXPECT_TRUE(std::holds_alternative<std::size_t>(reserve(cents(3)))) << "what is reserved counts";
  auto used = reservation.most;
  used.cost = used.credits = cents(3).units();
  used.outcome = "ok";
  await([](usage::Ledger& into, usage::Call call, usage::Reservation reserved) -> web::Task<int> {
    co_await into.settle(std::move(call), std::move(reserved));
    co_return 0;
  }(ledger, used, std::move(reservation)));
  EXPECT_EQ(credits.balance(user).available, cents(7));
  EXPECT_EQ(credits.balance(user).reserved, Money());
  const auto month = Period::month(store::now());
  EXPECT_EQ(ledger.credit_totals(user, month).total_tokens(), 30);
  EXPECT_EQ(ledger.quota_used(user, month), 0) << "the plan's quota is untouched";
  EXPECT_EQ(credits.sums(user, month).spent, Money() - cents(3));
}

TEST_F(CreditsTest, ReferralsOfFormerStoresAreTakenOverOnce) {
  auto change = store->system().change();
  change.insert(accounts::users, accounts::User{.id = user, .email = "a@example.org", .referral_code = "a"});
  change.add(user, {"credits"}, 300);
  ASSERT_TRUE(change.commit_blocking().ok());
  credits::take_over_referrals(store->system());
  credits::take_over_referrals(store->system());
  EXPECT_EQ(credits.balance(user).available, cents(300));
  EXPECT_EQ(credits.balance(user).whole_credits(), 300);
  std::vector<EntryKind> kinds;
  for (const auto& entry : credits.newest(user, 10)) kinds.push_back(entry.kind);
  EXPECT_THAT(kinds, ElementsAre(EntryKind::referral));
}

TEST(Periods, FollowEachOther) {
  EXPECT_EQ(Period::month_named("2026-11")->next_month().name(), "2026-12");
  EXPECT_EQ(Period::month_named("2026-12")->next_month().name(), "2027-01");
  EXPECT_EQ(Period::month_named("0999-12")->next_month().name(), "1000-01");
}

}  // namespace credits_test
