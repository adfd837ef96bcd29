// Bounds how many coroutines of one thread do something at once. First come, first served.
#pragma once

#include <boost/asio/redirect_error.hpp>
#include <cstddef>

#include "web/task.h"

namespace agentbox {

class Semaphore {
 public:
  Semaphore(const web::Executor& executor, std::size_t free)
      : free_(free), freed_(executor, std::chrono::steady_clock::time_point::max()) {}

  // One place; free again at the end of its scope. `take` must have returned before.
  class Place {
   public:
    explicit Place(Semaphore& semaphore) : semaphore_(semaphore) {}
    ~Place() {
      ++semaphore_.free_;
      semaphore_.freed_.cancel_one();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Semaphore& semaphore_;
  };
  web::Task<> take() {
    while (free_ == 0) {
      boost::system::error_code woken;
      co_await freed_.async_wait(boost::asio::redirect_error(web::use_task, woken));
    }
    --free_;
  }

 private:
  std::size_t free_;
  web::Timer freed_;
};

}  // namespace agentbox
