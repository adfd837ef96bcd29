// Commits that are answered before they are on disk, and when they reach it.
#include "store/log_syncer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "store/committer.h"

namespace store_test {
namespace log_syncer_test {

using store::Batch;
using store::Durability;

// A disk on which each sync waits for leave, and may fail.
class Disk final : public store::Committer::Log {
 public:
  std::optional<std::string> read(store::Family, std::string_view) const override { return {}; }
  store::CounterFields read_counter(store::Family, std::string_view) const override { return {}; }
  std::uint64_t version(store::Family, std::string_view) const override { return 0; }
  bool append(const std::vector<const Batch*>&, const std::vector<store::Committer::Counted>&, Append) override {
    return true;
  }
  void sync() override {
    std::unique_lock lock(mutex_);
    begun_.push_back(std::chrono::steady_clock::now());
    changed_.notify_all();
    changed_.wait(lock, [this] { return allowed_ > 0; });
    --allowed_;
    if (is_broken_) throw store::Unavailable("the disk is broken");
  }

  void allow(int syncs) {
    const std::lock_guard lock(mutex_);
    allowed_ += syncs;
    changed_.notify_all();
  }
  void break_down() {
    const std::lock_guard lock(mutex_);
    is_broken_ = true;
  }
  std::vector<std::chrono::steady_clock::time_point> begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  // Waits until as many syncs have begun.
  void until_begun(std::size_t syncs) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= syncs; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::chrono::steady_clock::time_point> begun_;
  int allowed_ = 0;
  bool is_broken_ = false;
};

class LogSyncer : public testing::Test {
 protected:
  void commit(Durability durability) {
    const auto result = committer_->commit_blocking(
        {.preconditions = {},
         .writes = {{.kind = store::Write::Kind::put, .family = 0, .key = "key", .value = "value"}}},
        durability);
    ASSERT_TRUE(result.ok());
  }
  void TearDown() override {
    disk_.allow(100);
    committer_.reset();
  }

  Disk disk_;
  std::unique_ptr<store::Committer> committer_ = std::make_unique<store::Committer>(disk_);
};

TEST_F(LogSyncer, APromptCommitIsAnsweredWhileItsSyncIsUnderWay) {
  commit(Durability::prompt);
  disk_.until_begun(1);
  commit(Durability::relaxed);  // the writer goes on meanwhile
}

TEST_F(LogSyncer, ACommitThatComesDuringASyncIsSyncedByTheNextOne) {
  commit(Durability::prompt);
  disk_.until_begun(1);
  commit(Durability::prompt);
  disk_.allow(1);
  disk_.until_begun(2);
}

TEST_F(LogSyncer, PromptSyncsLeaveOthersTimeToShareOne) {
  disk_.allow(3);
  for (std::size_t syncs = 1; syncs <= 3; ++syncs) {
    commit(Durability::prompt);
    disk_.until_begun(syncs);
  }
  const auto begun = disk_.begun();
  EXPECT_GE(begun[2] - begun[0], std::chrono::milliseconds(12));  // ten each, but for the first one's beginning late
}

TEST_F(LogSyncer, ADurableCommitLeavesNothingToSync) {
  commit(Durability::relaxed);
  commit(Durability::durable);  // the log syncs that one itself
  committer_.reset();
  EXPECT_TRUE(disk_.begun().empty());
}

TEST_F(LogSyncer, RelaxedCommitsAreSyncedBeforeLong) {
  commit(Durability::relaxed);
  disk_.until_begun(1);
}

TEST_F(LogSyncer, ASyncThatFailsEndsNothingElse) {
  disk_.break_down();
  commit(Durability::prompt);
  disk_.until_begun(1);
  disk_.allow(1);
  commit(Durability::durable);
}

TEST_F(LogSyncer, WhatIsLeftIsSyncedAtTheEnd) {
  commit(Durability::relaxed);
  disk_.allow(100);
  committer_.reset();
  EXPECT_EQ(disk_.begun().size(), 1u);
}

}  // namespace log_syncer_test
}  // namespace store_test
