#include "store/rocks/recovery.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace store {

namespace {

constexpr std::chrono::milliseconds pause{500};
constexpr std::size_t probe_bytes = 8u << 20;  // a log's preallocation, and a flush

}  // namespace

bool takes_writes(const std::filesystem::path& folder) {
  const auto path = folder / "probe";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  ::unlink(path.c_str());
  const std::string piece(1u << 20, 'p');
  std::size_t written = 0;
  while (written < probe_bytes) {
    const auto count = ::write(file, piece.data(), piece.size());
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool is_synced = written >= probe_bytes && ::fsync(file) == 0;
  ::close(file);
  return is_synced;
}

Recovery::Recovery(std::function<bool()> is_needed, std::function<bool()> attempt)
    : is_needed_(std::move(is_needed)), attempt_(std::move(attempt)), thread_([this] { run(); }) {
  pthread_setname_np(thread_.native_handle(), "store-recovery");
}

Recovery::~Recovery() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void Recovery::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (stop_.wait_for(lock, pause, [this] { return stopping_; })) return;
    }
    if (is_needed_()) attempt_();
  }
}

}  // namespace store
