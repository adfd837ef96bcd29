// Tries to bring a read-only store back, on a thread of its own.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

namespace store {

// Whether the disk of `folder` takes a write of a few megabytes and its sync.
bool takes_writes(const std::filesystem::path& folder);

class Recovery {
 public:
  // Asks `is_needed` twice a second, and if so calls `attempt`, which returns whether it succeeded.
  Recovery(std::function<bool()> is_needed, std::function<bool()> attempt);
  ~Recovery();  // waits for an attempt in progress

 private:
  void run();

  const std::function<bool()> is_needed_, attempt_;
  std::mutex mutex_;  // protects stopping_
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // last: uses everything above
};

}  // namespace store
