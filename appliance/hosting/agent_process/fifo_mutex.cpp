#include "appliance/hosting/agent_process/fifo_mutex.h"

#include <boost/asio/redirect_error.hpp>

namespace agent_process {

web::Task<web::Result<FifoMutex::Pass>> FifoMutex::enter(std::chrono::steady_clock::time_point deadline) {
  if (!busy_) {
    busy_ = true;
    co_return Pass(*this);
  }
  if (queue_.size() >= most_waiting_) {
    co_return web::Error{.kind = web::Kind::too_many, .message = "The agent is busy: too many messages are waiting."};
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto place = queue_.insert(queue_.end(), Waiting{.timer = web::Timer(executor, deadline)});
  // However the wait ends, also when the coroutine is destroyed in it, the place goes and a turn already given is
  // passed on.
  struct Leaving {
    FifoMutex& turnstile;
    std::list<Waiting>::iterator place;
    bool took = false;
    ~Leaving() {
      const bool called = place->called;
      turnstile.queue_.erase(place);
      if (called && !took) turnstile.leave();
    }
  } leaving{*this, place};
  boost::system::error_code ended;
  co_await place->timer.async_wait(boost::asio::redirect_error(web::use_task, ended));
  if (!place->called) {
    co_return web::Error{.kind = web::Kind::timeout, .message = "The agent was busy with other messages for too long."};
  }
  leaving.took = true;
  co_return Pass(*this);
}

void FifoMutex::leave() {
  for (auto& waiting : queue_) {
    if (waiting.called) continue;
    waiting.called = true;  // busy_ stays: it is theirs now
    waiting.timer.cancel();
    return;
  }
  busy_ = false;
}

}  // namespace agent_process
