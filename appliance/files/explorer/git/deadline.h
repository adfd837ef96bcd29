#pragma once

#include <atomic>
#include <chrono>

namespace git {

// How long a remote is waited for.
struct Deadline {
  std::chrono::steady_clock::time_point deadline;
  const std::atomic<bool>& is_given_up;  // set from any thread when the box stops

  bool is_over() const { return is_given_up || std::chrono::steady_clock::now() >= deadline; }
};

}  // namespace git
