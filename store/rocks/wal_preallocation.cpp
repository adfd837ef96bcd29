#include "store/rocks/wal_preallocation.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace store {
namespace {

constexpr std::uint64_t fill_bytes = 1u << 20, min_filled_bytes = 1u << 20, page_bytes = 4096;

bool writes_in_place(int file) {
  struct statfs about {};
  if (fstatfs(file, &about) != 0) return false;
  return about.f_type == EXT4_SUPER_MAGIC || about.f_type == XFS_SUPER_MAGIC;
}

int opened(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0 || writes_in_place(file)) return file;
  ::close(file);
  return -1;
}

// Whether all of it is on disk.
bool fill_with_zeros(int file, std::uint64_t from, std::uint64_t until) {
  const std::vector<char> zeros(64u << 10);
  while (from < until) {
    const auto size = std::min<std::uint64_t>(zeros.size(), until - from);
    const auto written = pwrite(file, zeros.data(), size, static_cast<off_t>(from));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += static_cast<std::uint64_t>(written);
  }
  return fdatasync(file) == 0;  // if it fails, so does the log's own sync
}

}  // namespace

WalPreallocation::WalPreallocation(const std::string& path) : file_(opened(path)) {
  if (file_ < 0) state_ = State::closed;
}

WalPreallocation::~WalPreallocation() { close(); }

void WalPreallocation::claim(std::size_t size) {
  std::unique_lock lock(mutex_);
  claimed_ += size;
  if (state_ == State::filling && claimed_ > filled_from_)
    changed_.wait(lock, [this] { return state_ != State::filling; });
}

void WalPreallocation::appended() {
  const std::lock_guard lock(mutex_);
  end_ = claimed_;
}

std::optional<std::uint64_t> WalPreallocation::end() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::closed ? std::nullopt : std::optional(end_);
}

bool WalPreallocation::is_short() {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ || state_ != State::idle || filled_until_ >= claimed_ + min_filled_bytes) return false;
  state_ = State::requested;
  return true;
}

void WalPreallocation::stop_filling() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
}

void WalPreallocation::fill() {
  std::unique_lock lock(mutex_);
  if (is_stopped_ || state_ != State::requested) return;
  state_ = State::filling;
  const auto from = filled_from_ = std::max(filled_until_, claimed_);
  // A crash may cut off writes at page boundaries.
  const auto until = filled_until_ = (from + fill_bytes) / page_bytes * page_bytes;
  lock.unlock();
  const bool done = fill_with_zeros(file_, from, until);
  lock.lock();
  state_ = done ? State::idle : State::requested;  // stays so: no further attempts
  changed_.notify_all();
}

void WalPreallocation::close() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return state_ != State::filling; });
  if (file_ < 0 || state_ == State::closed) return;
  state_ = State::closed;
  if (filled_until_ > claimed_ && ftruncate(file_, static_cast<off_t>(claimed_)) != 0) {
    // The zeros stay, as after a crash.
  }
  ::close(file_);
}

LogFiller::~LogFiller() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LogFiller::fill(std::shared_ptr<WalPreallocation> log) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) {
      try {
        thread_ = std::thread([this] { run(); });
      } catch (const std::system_error&) {  // must not pass through RocksDB, which is syncing a log
        return;
      }
      pthread_setname_np(thread_.native_handle(), "log-filler");
    }
    queue_.emplace_back(std::move(log));
  }
  changed_.notify_one();
}

void LogFiller::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const auto log = queue_.front().lock();
    queue_.pop_front();
    lock.unlock();
    if (log) log->fill();
    lock.lock();
  }
}

}  // namespace store
