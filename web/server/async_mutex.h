// Mutual exclusion between coroutines of one thread.
#pragma once

#include "web/server/wire.h"

namespace web {

class AsyncMutex {
 public:
  explicit AsyncMutex(Executor executor) : released_(executor, Clock::time_point::max()) {}
  Task<> lock() {
    while (locked_) co_await released_.async_wait(use_tuple);
    locked_ = true;
  }
  bool try_lock() { return !std::exchange(locked_, true); }
  void unlock() {
    locked_ = false;
    released_.cancel_one();
  }

 private:
  Timer released_;
  bool locked_ = false;
};

// Unlocks a locked mutex at the end of its scope.
class Unlock {
 public:
  explicit Unlock(AsyncMutex& mutex) : mutex_(mutex) {}
  ~Unlock() { mutex_.unlock(); }
  Unlock(const Unlock&) = delete;
  Unlock& operator=(const Unlock&) = delete;

 private:
  AsyncMutex& mutex_;
};

}  // namespace web
