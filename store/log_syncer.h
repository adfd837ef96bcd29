// Syncs the log on a thread of its own while commits go on being appended to it: for those that are answered before
// they are on disk (Durability).
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
  // `sync` makes what was appended before it durable; throws Unavailable, and after that nothing is appended any more.
  // Called on the syncer's thread only.
  explicit LogSyncer(std::function<void()> sync);
  ~LogSyncer();  // syncs what was appended, then ends the thread

  // Something was appended; if it was durable, that and all before it were synced. In the order of the appends, on any
  // thread.
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
  std::optional<Clock::time_point> due_;  // when what was appended is to be synced; none while all of it is
  Clock::time_point next_prompt_{};       // no sync before that for Durability::prompt
  bool stopping_ = false;

  std::thread thread_;  // last: runs while everything above lives
};

}  // namespace store
