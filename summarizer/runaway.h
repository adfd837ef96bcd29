// The last resort against a page that makes this program loop endlessly.
#pragma once

#include <chrono>
#include <ctime>

namespace summarizer {

// Ends the process (unhandled SIGVTALRM) if its thread uses `limit` of processor time before this is destroyed. A
// runaway thread cannot be stopped safely in another way; the supervisor restarts the process. Throws std::system_error
// if the kernel has no more timers.
class RunawayGuard {
 public:
  explicit RunawayGuard(std::chrono::milliseconds limit);
  ~RunawayGuard();
  RunawayGuard(const RunawayGuard&) = delete;
  RunawayGuard& operator=(const RunawayGuard&) = delete;

 private:
  timer_t timer_;
};

}  // namespace summarizer
