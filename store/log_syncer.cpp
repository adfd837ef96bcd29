#include "store/log_syncer.h"

#include <pthread.h>

#include <utility>

namespace store {
namespace {

using namespace std::chrono_literals;

constexpr auto relaxed_loss = 1s;    // the most that Durability::relaxed may lose
constexpr auto prompt_pause = 10ms;  // between prompt syncs, so that callers of a busy box share them

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

void LogSyncer::appended(Durability durability) {
  {
    const std::lock_guard lock(mutex_);
    if (durability == Durability::durable) {
      due_.reset();
      return;
    }
    const auto due = durability == Durability::prompt ? next_prompt_ : Clock::now() + relaxed_loss;
    if (due_ && *due_ <= due) return;
    due_ = due;
  }
  changed_.notify_one();
}

void LogSyncer::run() {
  std::unique_lock lock(mutex_);
  while (wait_until_due(lock)) {
    due_.reset();
    next_prompt_ = Clock::now() + prompt_pause;
    lock.unlock();
    is_syncing_ = true;
    try {
      sync_();
    } catch (const Unavailable&) {  // thrown again by the next commit
    }
    is_syncing_ = false;
    lock.lock();
  }
}

bool LogSyncer::wait_until_due(std::unique_lock<std::mutex>& lock) {
  while (!stopping_) {
    if (!due_)
      changed_.wait(lock);
    else if (Clock::now() >= *due_)
      return true;
    else
      changed_.wait_until(lock, Clock::time_point(*due_));  // a copy: due_ may change meanwhile
  }
  return due_.has_value();
}

}  // namespace store
