#include "store/log_syncer.h"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace store {
namespace {

using namespace std::chrono_literals;

constexpr auto relaxed_loss = 1s;  // what Durability::relaxed may lose

}  // namespace

LogSyncer::LogSyncer(std::function<void()> sync) : sync_(std::move(sync)), thread_([this] { run(); }) {
  pthread_setname_np(thread_.native_handle(), "log-syncer");
}

LogSyncer::~LogSyncer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LogSyncer::appended(Lsn lsn, Durability durability) {
  Group ready;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    appended_ = lsn;
    if (durability == Durability::durable) {
      on_disk_ = lsn;
      is_urgent_ = false;
      unsynced_since_.reset();
      ready = take_ready();
    } else {
      wake = durability == Durability::prompt ? !std::exchange(is_urgent_, true) : !unsynced_since_;
      if (!unsynced_since_) unsynced_since_ = Clock::now();
    }
  }
  if (wake) changed_.notify_one();
  resume(std::move(ready));
}

void LogSyncer::hold_back(Group& group) {
  const std::lock_guard lock(mutex_);
  const auto held = std::stable_partition(group.begin(), group.end(), [this](const auto& waiting) {
    return waiting->failure || waiting->after <= on_disk_;
  });
  if (failure_) {
    std::for_each(held, group.end(), [this](const auto& waiting) { waiting->failure = failure_; });
    return;
  }
  std::move(held, group.end(), std::back_inserter(waiting_));
  group.erase(held, group.end());
}

void LogSyncer::run() {
  std::unique_lock lock(mutex_);
  while (wait_until_due(lock)) {
    const auto until = appended_;
    is_urgent_ = false;
    unsynced_since_.reset();
    lock.unlock();
    std::exception_ptr failure;
    try {
      sync_();
    } catch (const Unavailable&) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure)
      failure_ = failure;
    else
      on_disk_ = std::max(on_disk_, until);
    auto ready = take_ready();
    lock.unlock();
    resume(std::move(ready));
    lock.lock();
  }
}

// True when it is time to sync; false when it is time to end.
bool LogSyncer::wait_until_due(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const bool is_unsynced = unsynced_since_ && !failure_;
    if (stopping_ || (is_unsynced && is_urgent_)) return is_unsynced;
    if (!is_unsynced)
      changed_.wait(lock);
    else if (changed_.wait_until(lock, *unsynced_since_ + relaxed_loss) == std::cv_status::timeout)
      return true;
  }
}

Group LogSyncer::take_ready() {
  Group ready;
  for (auto& waiting : waiting_) {
    if (!failure_ && waiting->after > on_disk_) continue;
    if (waiting->after > on_disk_) waiting->failure = failure_;
    ready.push_back(std::move(waiting));
  }
  std::erase(waiting_, nullptr);
  return ready;
}

}  // namespace store
