// The queue between the thread that follows a log and the connection that sends it.
#pragma once

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "appliance/runtime/log_line.h"
#include "store/table.h"
#include "web/task.h"

namespace logs {

// take() and wait() are called on `thread`, everything else on any thread.
class Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(const web::Executor& thread, std::string stream_id, std::string agent_id, std::string reader,
         std::size_t max_lines, std::size_t max_bytes)
      : id(std::move(stream_id)),
        agent(std::move(agent_id)),
        owner(std::move(reader)),
        thread_(thread),
        max_lines_(max_lines),
        max_bytes_(max_bytes),
        wake_(thread, web::Timer::time_point::max()) {}

  const std::string id, agent, owner;
  const store::Time started_at = store::now();
  std::atomic<std::int64_t> lines{0};  // sent so far

  // False if the reader has ended, also because its queue was full.
  bool offer(const std::vector<runtime::LogLine>& fresh) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return false;
      for (const auto& line : fresh) {
        waiting_.push_back(line);
        bytes_ += line.text.size();
      }
      if (waiting_.size() > max_lines_ || bytes_ > max_bytes_) {
        waiting_.clear();
        ended_ = "Client too slow. Reconnect with Last-Event-ID.";
      }
    }
    wake();
    const std::lock_guard lock(mutex_);
    return !ended_;
  }

  void end(std::string why) {
    {
      const std::lock_guard lock(mutex_);
      if (!ended_) ended_ = std::move(why);
    }
    wake();
  }

  // The queued lines. Sets `ended` to the reason if the reader has ended and there are no lines.
  std::deque<runtime::LogLine> take(std::optional<std::string>& ended) {
    const std::lock_guard lock(mutex_);
    bytes_ = 0;
    if (waiting_.empty()) ended = ended_;
    return std::exchange(waiting_, {});
  }

  web::Task<> wait() {
    {
      const std::lock_guard lock(mutex_);
      if (!waiting_.empty() || ended_) co_return;
    }
    boost::system::error_code woken;
    co_await wake_.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }

 private:
  // wait() checks for lines and starts to wait on the same thread, so no wake-up is lost.
  void wake() {
    boost::asio::post(thread_, [self = shared_from_this()] { self->wake_.cancel(); });
  }

  const web::Executor thread_;
  const std::size_t max_lines_, max_bytes_;
  web::Timer wake_;
  std::mutex mutex_;  // protects the rest
  std::deque<runtime::LogLine> waiting_;
  std::size_t bytes_ = 0;
  std::optional<std::string> ended_;
};

}  // namespace logs
