// Syncs the log on a thread of its own, beside further appends: for commits that return before they are on disk
// (Durability).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "store/engine.h"

namespace store {

class LogSyncer {
 public:
  // `sync` makes what was appended before it durable; throws Unavailable, after which nothing is appended.
  // Called on the syncer's thread only.
  explicit LogSyncer(std::function<void()> sync);
  ~LogSyncer();  // syncs what was appended, then ends the thread

  // Call after each append, in their order, on any thread. After a durable one, it and all before it are synced.
  void appended(Durability);
  // Whether a sync is under way, during which an append may have to wait for the file system.
  bool is_syncing() const { return is_syncing_; }

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  // True when it is time to sync; false when it is time to end.
  bool wait_until_due(std::unique_lock<std::mutex>&);

  const std::function<void()> sync_;
  std::atomic<bool> is_syncing_ = false;

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::optional<Clock::time_point> due_;  // of the next sync; none while everything is synced
  Clock::time_point next_prompt_{};       // earliest sync for Durability::prompt
  bool stopping_ = false;

  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
