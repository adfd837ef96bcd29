// How far a running task is: written by the exchange with the agent, read by any number of connections.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/a2a/records.h"
#include "web/task.h"

namespace a2a {

class Progress : public std::enable_shared_from_this<Progress> {
 public:
  // Waits on the thread it was made for.
  class Watcher : public std::enable_shared_from_this<Watcher> {
   public:
    Watcher(const web::Executor& thread, std::shared_ptr<Progress> progress)
        : thread_(thread), progress_(std::move(progress)), wake_(thread, web::Timer::time_point::max()) {}

    // What was answered since the last call; waits until there is something, or the task has ended.
    web::Task<std::string> next() {
      for (;;) {
        {
          const std::lock_guard lock(progress_->mutex_);
          auto fresh = progress_->text_.substr(seen_);
          seen_ += fresh.size();
          if (!fresh.empty() || progress_->ended_) co_return fresh;
        }
        boost::system::error_code woken;
        co_await wake_.async_wait(boost::asio::redirect_error(web::use_task, woken));
      }
    }
    // Set once next() has returned everything.
    std::optional<Task> ended() const {
      const std::lock_guard lock(progress_->mutex_);
      return progress_->ended_ && seen_ == progress_->text_.size() ? progress_->ended_ : std::nullopt;
    }

   private:
    friend class Progress;
    // next() looks and begins to wait on the same thread, so no wake-up is lost.
    void wake() {
      boost::asio::post(thread_, [self = shared_from_this()] { self->wake_.cancel(); });
    }

    const web::Executor thread_;
    const std::shared_ptr<Progress> progress_;
    web::Timer wake_;
    std::size_t seen_ = 0;
  };

  std::shared_ptr<Watcher> watch(const web::Executor& thread) {
    auto watcher = std::make_shared<Watcher>(thread, shared_from_this());
    const std::lock_guard lock(mutex_);
    watchers_.push_back(watcher);
    return watcher;
  }
  void append(std::string_view piece) {
    change([&] { text_.append(piece); });
  }
  // The first end counts.
  void end(Task task) {
    change([&] {
      if (!ended_) ended_ = std::move(task);
    });
  }

 private:
  template <class Edit>
  void change(Edit edit) {
    const std::lock_guard lock(mutex_);
    edit();
    std::erase_if(watchers_, [](const auto& watcher) { return watcher.expired(); });
    for (const auto& watcher : watchers_)
      if (const auto live = watcher.lock()) live->wake();
  }

  mutable std::mutex mutex_;  // protects the rest
  std::string text_;
  std::optional<Task> ended_;
  std::vector<std::weak_ptr<Watcher>> watchers_;
};

}  // namespace a2a
