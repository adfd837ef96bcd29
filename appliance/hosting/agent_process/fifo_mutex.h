// One at a time, first come first served. Used from one io thread only.
#pragma once

#include <chrono>
#include <list>
#include <optional>

#include "web/result.h"
#include "web/task.h"

namespace agent_process {

class FifoMutex {
 public:
  // Being through; the next one in the queue goes when it is destroyed. Must not outlive the turnstile.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (turnstile_) turnstile_->leave();
    }

   private:
    friend class FifoMutex;
    explicit Pass(FifoMutex& turnstile) : turnstile_(&turnstile) {}
    FifoMutex* turnstile_;
  };

  explicit FifoMutex(std::size_t most_waiting) : most_waiting_(most_waiting) {}

  // Suspends until it is this caller's turn. Kind::too_many when the queue is full, Kind::timeout at the deadline.
  web::Task<web::Result<Pass>> enter(std::chrono::steady_clock::time_point deadline);

 private:
  struct Waiting {
    web::Timer timer;
    bool called = false;
  };

  void leave();

  const std::size_t most_waiting_;
  bool busy_ = false;
  std::list<Waiting> queue_;
};

}  // namespace agent_process
