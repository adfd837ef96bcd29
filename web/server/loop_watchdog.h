// Detects network threads that no longer return to their event loop, because of an endless loop or a blocking call in a
// handler.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

namespace web {

class IoPool;

// Posts to every loop of the pool a few times within `limit`, from a thread of its own. A loop that has not run such a
// post for `limit` is stalled. This is logged once with the stack of the loop's thread ("event_loop_stalled"), and
// again when it runs ("event_loop_resumed"). Every member is callable from every thread.
class LoopWatchdog {
 public:
  explicit LoopWatchdog(IoPool&, std::chrono::milliseconds limit = std::chrono::seconds(10));
  ~LoopWatchdog();

  void start();  // after IoPool::start
  void stop();   // after IoPool::stop
  std::size_t stalled() const;
  // Call it when the process is about to end: `limit` after this call, a stalled loop ends the process at once with
  // exit code 1, so that it cannot prevent the shutdown. Acknowledged writes are on disk.
  void expect_end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace web
