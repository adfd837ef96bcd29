// The last resort against a page that makes this program compute for ever.
#pragma once

#include <chrono>
#include <ctime>

namespace summarizer {

// Ends the process (SIGVTALRM, not handled) when the thread that made this has computed for `limit` before it is
// destroyed: no lock, no allocator and no exception can be relied upon in a thread that runs wild, and whoever
// supervises the process starts another. Throws std::system_error when the kernel has no more timers.
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
