// Syncs the log on a thread of its own while the committer goes on appending to it: for commits that are answered
// before they are on disk (Durability), and for those that rest on one of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "store/waiting.h"

namespace store {

class LogSyncer {
 public:
  // `sync` makes what was appended before it durable, throws Unavailable, and after that throws it every time. Called
  // on the syncer's thread only.
  explicit LogSyncer(std::function<void()> sync);
  ~LogSyncer();  // syncs what was appended, completes whoever waits, then ends the thread

  // Of the committer's thread: all up to there was appended, and synced, too, or is to be.
  void appended(Lsn, Durability);
  // Takes out of the group whoever is to wait for what is not on disk yet, and completes them when it is; with the
  // failure when it cannot be.
  void hold_back(Group&);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  bool wait_until_due(std::unique_lock<std::mutex>&);
  // Those that no longer have to wait.
  Group take_ready();

  const std::function<void()> sync_;

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  Lsn appended_ = 0, on_disk_ = 0;
  bool is_urgent_ = false;                           // something appended is to be synced at once
  std::optional<Clock::time_point> unsynced_since_;  // when the first was appended that no sync has followed
  std::exception_ptr failure_;                       // of a sync: nothing reaches the disk any more
  Group waiting_;
  bool stopping_ = false;

  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
