#include "appliance/media/videos/job_board.h"

#include <utility>

#include "web/routes/disconnect.h"

namespace videos {

// The timer is used on the waiter's own thread only.
struct JobBoard::Waiter {
  explicit Waiter(const web::Executor& given) : executor(given), timer(given) {}
  const web::Executor executor;
  web::Timer timer;
};

void JobBoard::wake(const std::vector<std::weak_ptr<Waiter>>& waiters) {
  for (const auto& weak : waiters) {
    auto waiter = weak.lock();
    if (!waiter) continue;
    const auto executor = waiter->executor;
    boost::asio::post(executor, [waiter = std::move(waiter)] { waiter->timer.cancel(); });
  }
}

void JobBoard::set(const std::string& job, unsigned percent, bool is_running) {
  std::vector<std::weak_ptr<Waiter>> waiters;
  {
    const std::scoped_lock lock(mutex_);
    auto& entry = entries_[job];
    const bool is_same = entry.progress.percent == percent && entry.progress.is_running == is_running;
    if (is_same && entry.progress.version > 0) return;
    entry.progress = {.percent = percent, .is_running = is_running, .version = entry.progress.version + 1};
    waiters.swap(entry.waiters);
  }
  wake(waiters);
}

void JobBoard::remove(const std::string& job) {
  std::vector<std::weak_ptr<Waiter>> waiters;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(job);
    if (found == entries_.end()) return;
    waiters.swap(found->second.waiters);
    entries_.erase(found);
  }
  wake(waiters);
}

std::optional<Progress> JobBoard::find(const std::string& job) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(job);
  return found == entries_.end() ? std::nullopt : std::optional(found->second.progress);
}

web::Task<bool> JobBoard::wait(std::string job, std::uint64_t version, std::chrono::steady_clock::time_point deadline) {
  const auto waiter = std::make_shared<Waiter>(co_await boost::asio::this_coro::executor);
  waiter->timer.expires_at(deadline);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(job);
    if (found == entries_.end() || found->second.progress.version != version) co_return true;
    found->second.waiters.push_back(waiter);
  }
  const bool is_connected = co_await web::wait_unless_disconnected(waiter->timer);
  co_return is_connected&& std::chrono::steady_clock::now() < deadline;
}

}  // namespace videos
