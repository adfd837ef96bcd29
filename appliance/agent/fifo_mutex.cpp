#include "appliance/agent/fifo_mutex.h"

#include <boost/asio/redirect_error.hpp>

namespace agent_process {

web::Task<web::Result<FifoMutex::Lock>> FifoMutex::lock(std::chrono::steady_clock::time_point deadline) {
  if (!is_locked_) {
    is_locked_ = true;
    co_return Lock(*this);
  }
  if (queue_.size() >= max_waiting_) {
    co_return web::Error{.kind = web::Kind::too_many, .message = "The agent is busy: too many messages are waiting."};
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto waiter = queue_.insert(queue_.end(), Waiter{.timer = web::Timer(executor, deadline)});
  // Also if the coroutine is destroyed while waiting: removes the waiter and passes on a mutex already handed to it.
  struct Cleanup {
    FifoMutex& mutex;
    std::list<Waiter>::iterator waiter;
    bool is_taken = false;
    ~Cleanup() {
      const bool has_mutex = waiter->has_mutex;
      mutex.queue_.erase(waiter);
      if (has_mutex && !is_taken) mutex.unlock();
    }
  } cleanup{*this, waiter};
  boost::system::error_code ended;
  co_await waiter->timer.async_wait(boost::asio::redirect_error(web::use_task, ended));
  if (!waiter->has_mutex) {
    co_return web::Error{.kind = web::Kind::timeout, .message = "The agent was busy with other messages for too long."};
  }
  cleanup.is_taken = true;
  co_return Lock(*this);
}

void FifoMutex::unlock() {
  for (auto& waiter : queue_) {
    if (waiter.has_mutex) continue;
    waiter.has_mutex = true;  // is_locked_ stays set
    waiter.timer.cancel();
    return;
  }
  is_locked_ = false;
}

}  // namespace agent_process
