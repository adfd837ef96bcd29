// Commits that are answered before they are on disk, and answers that wait for the disk.
#include "store/log_syncer.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "store/committer.h"

namespace store_test {
namespace {

using store::Batch;
using store::CommitResult;
using store::Durability;
using store::Lsn;
using namespace std::chrono_literals;

// A disk on which each sync waits for leave, and may fail.
class Disk final : public store::Committer::Log {
 public:
  std::optional<std::string> read(store::Family, std::string_view) const override { return {}; }
  store::Figures read_counter(store::Family, std::string_view) const override { return {}; }
  void append(const std::vector<const Batch*>&, const std::vector<store::Committer::Counted>&, bool) override {}
  void sync() override {
    std::unique_lock lock(mutex_);
    ++begun_;
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
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  // Waits until as many syncs have begun.
  void until_begun(int syncs) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= syncs; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0, allowed_ = 0;
  bool is_broken_ = false;
};

class LogSyncer : public testing::Test {
 protected:
  static Batch batch() {
    return {.preconditions = {},
            .writes = {{.kind = store::Write::Kind::put, .family = 0, .key = "key", .value = "value"}}};
  }
  Lsn commit(Durability durability) { return committer_->commit_blocking(batch(), durability, 0).lsn; }
  std::future<CommitResult> commit_after(Lsn lsn) {
    return std::async(std::launch::async,
                      [this, lsn] { return committer_->commit_blocking(batch(), Durability::relaxed, lsn); });
  }
  static bool is_answered(std::future<CommitResult>& answer) {
    return answer.wait_for(50ms) == std::future_status::ready;
  }
  void TearDown() override {
    disk_.allow(100);
    committer_.reset();
  }

  Disk disk_;
  std::unique_ptr<store::Committer> committer_ = std::make_unique<store::Committer>(disk_);
};

TEST_F(LogSyncer, APromptCommitIsAnsweredWhileItsSyncIsUnderWay) {
  const auto first = commit(Durability::prompt);
  disk_.until_begun(1);
  EXPECT_GT(commit(Durability::relaxed), first) << "the writer goes on meanwhile";
}

TEST_F(LogSyncer, WhatRestsOnItIsAnsweredWhenItIsOnDisk) {
  const auto reserved = commit(Durability::prompt);
  disk_.until_begun(1);
  auto settled = commit_after(reserved);
  EXPECT_FALSE(is_answered(settled));
  disk_.allow(1);
  EXPECT_TRUE(settled.get().ok());
  auto another = commit_after(reserved);
  EXPECT_TRUE(another.get().ok()) << "it is on disk already";
}

TEST_F(LogSyncer, ACommitThatComesDuringASyncWaitsForTheNextOne) {
  commit(Durability::prompt);
  disk_.until_begun(1);
  const auto reserved = commit(Durability::prompt);
  auto settled = commit_after(reserved);
  disk_.allow(1);
  disk_.until_begun(2);
  EXPECT_FALSE(is_answered(settled));
  disk_.allow(1);
  EXPECT_TRUE(settled.get().ok());
}

TEST_F(LogSyncer, ADurableCommitBringsAllBeforeItToDisk) {
  const auto reserved = commit(Durability::prompt);
  disk_.until_begun(1);
  auto settled = commit_after(reserved);
  EXPECT_FALSE(is_answered(settled));
  commit(Durability::durable);  // the log syncs that one itself, while the other sync still waits
  EXPECT_TRUE(settled.get().ok());
}

TEST_F(LogSyncer, RelaxedCommitsAreSyncedBeforeLong) {
  commit(Durability::relaxed);
  disk_.until_begun(1);
}

TEST_F(LogSyncer, WhoeverWaitsForADiskThatFailsIsTold) {
  disk_.break_down();
  const auto reserved = commit(Durability::prompt);
  disk_.until_begun(1);
  auto settled = commit_after(reserved);
  disk_.allow(1);
  EXPECT_THROW(settled.get(), store::Unavailable);
  auto another = commit_after(reserved);
  EXPECT_THROW(another.get(), store::Unavailable);
}

TEST_F(LogSyncer, WhatIsLeftIsSyncedAtTheEnd) {
  commit(Durability::relaxed);
  disk_.allow(100);
  committer_.reset();
  EXPECT_EQ(disk_.begun(), 1);
}

}  // namespace
}  // namespace store_test
