// An asynchronous mutex that is acquired in FIFO order, with a bounded queue. Used from one io thread only.
#pragma once

#include <chrono>
#include <list>
#include <optional>

#include "web/result.h"
#include "web/task.h"

namespace agent_process {

class FifoMutex {
 public:
  // Holds the mutex; its destructor passes it to the next waiter. Must not outlive the mutex.
  class Lock {
   public:
    Lock(Lock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Lock& operator=(Lock&&) = delete;
    ~Lock() {
      if (mutex_) mutex_->unlock();
    }

   private:
    friend class FifoMutex;
    explicit Lock(FifoMutex& mutex) : mutex_(&mutex) {}
    FifoMutex* mutex_;
  };

  explicit FifoMutex(std::size_t max_waiting) : max_waiting_(max_waiting) {}

  // Suspends until the mutex is free. Kind::too_many when the queue is full, Kind::timeout at the deadline.
  web::Task<web::Result<Lock>> lock(std::chrono::steady_clock::time_point deadline);

 private:
  struct Waiter {
    web::Timer timer;
    bool has_mutex = false;
  };

  void unlock();

  const std::size_t max_waiting_;
  bool is_locked_ = false;
  std::list<Waiter> queue_;
};

}  // namespace agent_process
