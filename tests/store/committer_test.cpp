// Many callers, one writer: batches of one group see one another, and each caller gets its own outcome on its own
// thread.
#include "store/committer.h"

#include <atomic>
#include <semaphore>
#include <thread>

#include "tests/store/fixture.h"

namespace store_test {
namespace committer_test {

TEST_F(StoreTest, CoroutinesOfSeveralThreadsCommitTogether) {
  constexpr int threads = 4, coroutines = 50, rounds = 10;
  std::atomic<int> committed{0}, elsewhere{0};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < threads; ++worker)
    workers.emplace_back([&, worker] {
      boost::asio::io_context context(1);
      const auto here = std::this_thread::get_id();
      const auto caller = [&](int number) -> store::Task<> {
        for (int round = 0; round < rounds; ++round) {
          auto change = tenant(1).change();
          const auto name = std::to_string(worker) + "/" + std::to_string(number) + "/" + std::to_string(round);
          change.insert(notes, Note{.owner = 1, .id = name, .title = name});
          change.add(1, {"sum"}, 1);
          const auto outcome = co_await change.commit();
          if (outcome.ok()) ++committed;
          if (std::this_thread::get_id() != here) ++elsewhere;
        }
      };
      for (int number = 0; number < coroutines; ++number)
        boost::asio::co_spawn(context, caller(number), boost::asio::detached);
      context.run();
    });
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(committed, threads * coroutines * rounds);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(tenant(1).counter({"sum"}), threads * coroutines * rounds);
  EXPECT_LT(store_->stats().groups, store_->stats().commits);
  EXPECT_TRUE(store_->verify().empty());
}

// A bound holds for any number of concurrent commits.
TEST_F(StoreTest, ABoundIsNeverPassed) {
  boost::asio::io_context context(1);
  int accepted = 0;
  const auto caller = [&]() -> store::Task<> {
    auto change = tenant(1).change();
    change.add(1, {"agents"}, 1, 3);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) ++accepted;
  };
  for (int number = 0; number < 20; ++number) boost::asio::co_spawn(context, caller(), boost::asio::detached);
  context.run();
  EXPECT_EQ(accepted, 3);
  EXPECT_EQ(tenant(1).counter({"agents"}), 3);
}

// An exception that escapes one coroutine leaves its io_context, as from any handler; the others of its group go on.
TEST_F(StoreTest, AnExceptionOfOneCallerDoesNotLoseTheOthers) {
  boost::asio::io_context context(1);
  int finished = 0;
  const auto caller = [&](int number) -> store::Task<> {
    auto change = tenant(1).change();
    change.add(1, {"n"}, 1);
    const auto outcome = co_await change.commit();
    if (outcome.ok() && number == 3) throw std::runtime_error("escapes");
    ++finished;
  };
  const auto rethrow = [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  };
  for (int number = 0; number < 10; ++number) boost::asio::co_spawn(context, caller(number), rethrow);
  EXPECT_THROW(context.run(), std::runtime_error);
  context.run();
  EXPECT_EQ(finished, 9);
}

TEST_F(StoreTest, RelaxedChangesAreSeenAtOnceAndKeptOverACleanStop) {
  ASSERT_TRUE(insert({.owner = 1, .id = "a", .title = "Tea"}).ok());
  auto row = tenant(1).get(notes, "a");
  row->value.rank = 5;
  auto change = tenant(1).change();
  change.update(notes, *row);
  ASSERT_TRUE(change.commit_blocking(store::Durability::relaxed).ok());
  EXPECT_EQ(tenant(1).get(notes, "a")->value.rank, 5);
  reopen();
  EXPECT_EQ(tenant(1).get(notes, "a")->value.rank, 5);
}

// A log that records which thread appended, and may refuse to append at once.
class AppendingLog : public store::Committer::Log {
 public:
  std::optional<std::string> read(store::Family, std::string_view) const override { return {}; }
  store::CounterFields read_counter(store::Family, std::string_view) const override { return {}; }
  std::uint64_t version(store::Family, std::string_view) const override { return 0; }
  bool append(const std::vector<const store::Batch*>& batches, const std::vector<store::Committer::Counted>&,
              Append how) override {
    if (how == Append::at_once && is_full) return false;
    by_caller = std::this_thread::get_id() == caller;
    appended += batches.size();
    return true;
  }
  void sync() override {}

  std::thread::id caller = std::this_thread::get_id();
  bool is_full = false, by_caller = false;
  std::size_t appended = 0;
};

store::CommitResult commit_alone(store::Committer& committer, store::Durability durability) {
  boost::asio::io_context context(1);
  store::CommitResult result;
  const auto caller = [&]() -> store::Task<> {
    store::Batch batch{.preconditions = {{.kind = store::Precondition::Kind::absent, .family = 0, .key = "a"}},
                       .writes = {{.kind = store::Write::Kind::put, .family = 0, .key = "a", .value = "1"}}};
    result = co_await committer.commit(std::move(batch), durability);
  };
  boost::asio::co_spawn(context, caller(), boost::asio::detached);
  context.run();
  return result;
}

TEST(Committer, ALoneCallerThatNeedsNoSyncCommitsOnItsOwnThread) {
  using enum store::Durability;
  for (const auto durability : {durable, prompt, relaxed}) {
    AppendingLog log;
    store::Committer committer(log);
    EXPECT_TRUE(commit_alone(committer, durability).ok());
    EXPECT_EQ(log.appended, 1u);
    EXPECT_EQ(log.by_caller, durability != durable);
  }
}

TEST(Committer, ACallerDoesNotWaitForALogThatDelaysWrites) {
  AppendingLog log;
  log.is_full = true;
  store::Committer committer(log);
  EXPECT_TRUE(commit_alone(committer, store::Durability::prompt).ok());
  EXPECT_EQ(log.appended, 1u);
  EXPECT_FALSE(log.by_caller);
}

// Its syncs end when the test lets them.
struct HeldLog final : AppendingLog {
  void sync() override {
    begun.release();
    may_end.acquire();
  }
  std::counting_semaphore<> begun{0}, may_end{0};
};

TEST(Committer, ACallerDoesNotWaitForASyncInProgress) {
  HeldLog log;
  store::Committer committer(log);
  EXPECT_TRUE(commit_alone(committer, store::Durability::prompt).ok());
  EXPECT_TRUE(log.by_caller);
  log.begun.acquire();
  EXPECT_TRUE(commit_alone(committer, store::Durability::relaxed).ok());
  EXPECT_FALSE(log.by_caller);
  log.may_end.release(2);
}

// With every durability, on several threads: some commits run on those threads, some on the committer's.
TEST_F(StoreTest, EveryCommitCountsOnWhicheverThread) {
  using enum store::Durability;
  constexpr int threads = 4, rounds = 400;
  std::vector<std::thread> workers;
  for (int worker = 0; worker < threads; ++worker)
    workers.emplace_back([&, worker] {
      boost::asio::io_context context(1);
      const auto caller = [&]() -> store::Task<> {
        for (int round = 0; round < rounds; ++round) {
          auto change = tenant(1).change();
          change.add(1, {"sum"}, 1);
          const auto durability = round % 100 == worker ? durable : round % 2 ? prompt : relaxed;
          const auto outcome = co_await change.commit(durability);
          EXPECT_TRUE(outcome.ok());
        }
      };
      boost::asio::co_spawn(context, caller(), boost::asio::detached);
      context.run();
    });
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(tenant(1).counter({"sum"}), threads * rounds);
  reopen();
  EXPECT_EQ(tenant(1).counter({"sum"}), threads * rounds);
}

}  // namespace committer_test
}  // namespace store_test
