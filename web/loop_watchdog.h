// Notices network threads that no longer come back to their event loop: an endless loop or a blocking call in a
// handler.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

namespace web {

class IoPool;

// Asks every loop of the pool a few times within `limit` to show that it turns, from a thread of its own. A loop that
// has not done so for `limit` is stalled: it is logged once with the stack of its thread ("event_loop_stalled"), and
// again when it turns ("event_loop_resumed"). Every member is callable from every thread.
class LoopWatchdog {
 public:
  explicit LoopWatchdog(IoPool&, std::chrono::milliseconds limit = std::chrono::seconds(10));
  ~LoopWatchdog();

  void start();  // after IoPool::start
  void stop();   // after IoPool::stop, whose threads turn no more
  std::size_t stalled() const;
  // The process is about to end, and a stalled loop must not keep it from that: from `limit` after this call on, a loop
  // that is stalled ends the process at once with exit code 1. What the store has acknowledged is on disk.
  void expect_end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace web
