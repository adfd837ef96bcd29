// The once-only ledger of payment credentials.
#include "appliance/billing/spent_credentials/spent_credentials.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/identity/people_fixture.h"

namespace spent_credentials_test {

using spent_credentials::Credential;
using spent_credentials::SpentCredentials;
using spent_credentials::State;

class SpentCredentialsTest : public people_tests::People {
 protected:
  std::optional<spent_credentials::Row> claim(std::string id, std::string transaction = {}, State state = State::held) {
    return run(
        spent.claim({.id = std::move(id), .state = state, .way = "x402", .transaction = std::move(transaction)}));
  }
  bool move(spent_credentials::Row& row, State to) { return run(spent.move(row, to)); }

  SpentCredentials spent{system};
};

TEST_F(SpentCredentialsTest, ACredentialIsClaimedOnceByTenThousand) {
  constexpr int threads = 4, claims = 2'500;
  std::atomic<int> won = 0;
  std::vector<std::thread> claimers;
  for (int thread = 0; thread < threads; ++thread)
    claimers.emplace_back([&] {
      boost::asio::io_context io;
      for (int at = 0; at < claims; ++at)
        boost::asio::co_spawn(
            io,
            [&]() -> web::Task<> {
              Credential same{.id = "the same", .way = "x402"};
              const auto row = co_await spent.claim(std::move(same));
              if (row) ++won;
            },
            [](std::exception_ptr failure) {
              if (failure) std::rethrow_exception(failure);
            });
      io.run();
    });
  for (auto& claimer : claimers) claimer.join();
  EXPECT_EQ(won, 1);
}

TEST_F(SpentCredentialsTest, ATransactionCountsAsOneCredential) {
  ASSERT_TRUE(claim("a", "transaction 1"));
  EXPECT_FALSE(claim("b", "transaction 1"));
  EXPECT_EQ(spent.find("b", "transaction 1")->value.id, "a");
  auto row = claim("c");
  row->value.transaction = "transaction 1";
  EXPECT_FALSE(move(*row, State::spent));
}

TEST_F(SpentCredentialsTest, OneRequestAtATimeWorksWithACredential) {
  {
    const SpentCredentials::Exclusive first(spent, "a"), second(spent, "a"), other(spent, "b");
    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
    EXPECT_TRUE(other);
  }
  EXPECT_TRUE(SpentCredentials::Exclusive(spent, "a"));
}

TEST_F(SpentCredentialsTest, WhatACrashLeftIsPutInOrder) {
  for (const auto state : {State::held, State::settling, State::serving, State::paid, State::spent})
    ASSERT_TRUE(claim(boost::describe::enum_to_string(state, ""), {}, state));
  EXPECT_EQ(spent.recover(), 2u);
  EXPECT_FALSE(spent.find("held"));
  EXPECT_EQ(spent.find("serving")->value.state, State::paid);
  EXPECT_EQ(spent.find("settling")->value.state, State::settling);
  EXPECT_EQ(spent.find("spent")->value.state, State::spent);
  EXPECT_EQ(spent.unfinished_ones().size(), 3u);
  EXPECT_EQ(spent.recover(), 0u);
}

TEST_F(SpentCredentialsTest, AChangeSpendsACredentialOnce) {
  for (const bool is_first : {true, false}) {
    auto change = system.change();
    SpentCredentials::spend(change, {.id = "clone", .way = "clone"});
    EXPECT_EQ(change.commit_blocking().ok(), is_first);
  }
}

}  // namespace spent_credentials_test
