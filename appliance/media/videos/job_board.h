// The jobs in progress, for those who wait for them on other threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "web/task.h"

namespace videos {

struct Progress {
  unsigned percent = 0;
  bool is_running = false;  // else it is queued
  std::uint64_t version = 0;
};

// Callable from every thread.
class JobBoard {
 public:
  void set(const std::string& job, unsigned percent, bool is_running);
  void remove(const std::string& job);  // it has ended
  // Nothing: there is no such job, or it has ended.
  std::optional<Progress> find(const std::string& job) const;

  // Suspends until the job's progress has another version, or until it has ended. False: the caller's client is gone,
  // or the deadline has passed.
  web::Task<bool> wait(std::string job, std::uint64_t version, std::chrono::steady_clock::time_point deadline);

 private:
  struct Waiter;
  struct Entry {
    Progress progress;
    std::vector<std::weak_ptr<Waiter>> waiters;
  };
  static void wake(const std::vector<std::weak_ptr<Waiter>>&);

  mutable std::mutex mutex_;  // protects the entries
  std::map<std::string, Entry> entries_;
};

}  // namespace videos
