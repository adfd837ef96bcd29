// The messages whose answers the box is waiting for.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "web/task.h"

namespace chat {

// Lets a coroutine wait for the request to stop its exchange, which may come from any thread.
class StopSignal {
 public:
  // The executor is that of the waiting coroutine.
  explicit StopSignal(const web::Executor& executor)
      : executor_(executor), timer_(executor, web::Timer::time_point::max()) {}

  static void request(const std::shared_ptr<StopSignal>& signal) {
    boost::asio::post(signal->executor_, [signal] {
      signal->is_requested_ = true;
      signal->timer_.cancel();
    });
  }
  // On the thread of the executor.
  bool is_requested() const { return is_requested_; }
  web::Task<> wait() {
    while (!is_requested_) {
      boost::system::error_code woken;
      co_await timer_.async_wait(boost::asio::redirect_error(web::use_task, woken));
    }
  }

 private:
  const web::Executor executor_;
  web::Timer timer_;
  bool is_requested_ = false;
};

// Thread-safe.
class Pending {
 public:
  // Registers a message until the exchange ends. May outlive its Pending, because coroutines are destroyed as late as
  // with their io_context.
  class Entry {
   public:
    Entry(const Pending& pending, std::string id, const web::Executor& executor)
        : questions_(pending.questions_), id_(std::move(id)), stop_(std::make_shared<StopSignal>(executor)) {
      const std::lock_guard lock(questions_->mutex);
      questions_->signals.emplace(id_, stop_);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      const std::lock_guard lock(questions_->mutex);
      questions_->signals.erase(id_);
    }

    StopSignal& stop_signal() { return *stop_; }
    void stop() const { StopSignal::request(stop_); }

   private:
    friend class Pending;
    struct Questions {
      std::mutex mutex;  // protects signals
      std::map<std::string, std::shared_ptr<StopSignal>, std::less<>> signals;
    };
    const std::shared_ptr<Questions> questions_;
    const std::string id_;
    const std::shared_ptr<StopSignal> stop_;
  };

  bool contains(std::string_view id) const {
    const std::lock_guard lock(questions_->mutex);
    return questions_->signals.contains(id);
  }

  bool is_empty() const {
    const std::lock_guard lock(questions_->mutex);
    return questions_->signals.empty();
  }

  // Requests that the exchanges of all messages whose ids have this prefix stop; returns their number.
  std::size_t stop(std::string_view prefix) const {
    std::vector<std::shared_ptr<StopSignal>> found;
    {
      const std::lock_guard lock(questions_->mutex);
      for (auto at = questions_->signals.lower_bound(prefix);
           at != questions_->signals.end() && at->first.starts_with(prefix); ++at)
        found.push_back(at->second);
    }
    for (const auto& signal : found) StopSignal::request(signal);
    return found.size();
  }

 private:
  const std::shared_ptr<Entry::Questions> questions_ = std::make_shared<Entry::Questions>();
};

}  // namespace chat
