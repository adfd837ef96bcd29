#pragma once

#include <atomic>
#include <chrono>

namespace git {

// When to stop waiting for a remote.
struct Deadline {
  std::chrono::steady_clock::time_point at;
  const std::atomic<bool>& is_cancelled;  // set from any thread when the box stops

  bool is_over() const { return is_cancelled || std::chrono::steady_clock::now() >= at; }
};

}  // namespace git
