#include "web/server/loop_watchdog.h"

#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "web/log.h"
#include "web/server/server.h"

namespace web {

namespace {

using Clock = std::chrono::steady_clock;

// Written by the signal handler on the stalled thread, read by the watchdog's thread once `done` is posted.
struct Capture {
  std::array<void*, 48> frames{};
  int count = 0;
  sem_t done{};
};
Capture capture;

int capture_signal() { return SIGRTMIN + 2; }

void capture_stack(int) {
  const int cause = errno;
  capture.count = ::backtrace(capture.frames.data(), static_cast<int>(capture.frames.size()));
  ::sem_post(&capture.done);
  errno = cause;
}

void install_handler() {
  static const bool installed = [] {
    void* frame = nullptr;
    ::backtrace(&frame, 1);  // the first call loads a library, which is not allowed in a signal handler
    ::sem_init(&capture.done, 0, 0);
    struct sigaction action {};
    action.sa_handler = capture_stack;
    action.sa_flags = SA_RESTART;
    return ::sigaction(capture_signal(), &action, nullptr) == 0;
  }();
  static_cast<void>(installed);
}

// One frame per word, in the form addr2line reads: "agentbox(+0x1f2e3d)". Empty if the thread does not answer.
std::string stack_of(std::thread::native_handle_type thread) {
  if (::pthread_kill(thread, capture_signal()) != 0) return {};
  timespec deadline{};
  ::clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1;
  while (::sem_timedwait(&capture.done, &deadline) != 0)
    if (errno != EINTR) return {};
  const std::unique_ptr<char*, decltype(&std::free)> names(::backtrace_symbols(capture.frames.data(), capture.count),
                                                           &std::free);
  std::string stack;
  for (int i = 0; names && i < capture.count; ++i) {
    const std::string name = names.get()[i];
    const auto path_end = name.find('(');
    const auto slash = name.rfind('/', path_end);
    const auto from = slash == std::string::npos ? 0 : slash + 1;
    stack += (stack.empty() ? "" : " ") + name.substr(from, name.find(' ', from) - from);
  }
  return stack;
}

}  // namespace

struct LoopWatchdog::Impl {
  struct Loop {
    std::atomic<Clock::time_point> turned;  // written by the loop's thread
    std::atomic<bool> is_asked{false};
    std::atomic<bool> is_stalled{false};
  };

  Impl(IoPool& given, std::chrono::milliseconds time) : pool(given), limit(time) {
    for (std::size_t i = 0; i < pool.size(); ++i) loops.push_back(std::make_shared<Loop>());
  }

  // Shared with the posted handlers: a loop may be destroyed with one still queued.
  void ask(std::size_t index) {
    const auto& loop = loops[index];
    if (loop->is_asked.exchange(true)) return;
    boost::asio::post(pool.at(index), [loop] {
      loop->turned = Clock::now();
      loop->is_asked = false;
    });
  }

  void look(std::size_t index, bool is_ending) {
    auto& loop = *loops[index];
    const auto silence = Clock::now() - loop.turned.load();
    const bool is_stalled = silence >= limit;
    if (is_stalled != loop.is_stalled) {
      loop.is_stalled = is_stalled;
      const log::Field which{"thread", "io-" + std::to_string(index)};
      if (!is_stalled) {
        log::warning("event_loop_resumed", {which});
      } else if (!is_ending) {  // else the thread may have ended
        log::error("event_loop_stalled", {which, {"stack", stack_of(pool.thread(index))}});
      }
    }
    if (is_stalled && ending_at && Clock::now() >= *ending_at) {
      log::error("stopped_with_a_stalled_event_loop", {{"thread", "io-" + std::to_string(index)}});
      std::_Exit(1);
    }
    ask(index);
  }

  void watch() {
    std::unique_lock lock(mutex);
    while (!is_stopping) {
      for (std::size_t i = 0; i < loops.size(); ++i) look(i, ending_at.has_value());
      wake.wait_for(lock, limit / 10, [this] { return is_stopping; });
    }
  }

  IoPool& pool;
  const std::chrono::milliseconds limit;
  std::vector<std::shared_ptr<Loop>> loops;
  std::condition_variable wake;
  std::mutex mutex;  // protects what follows
  bool is_stopping = false;
  std::optional<Clock::time_point> ending_at;
  std::thread thread;
};

LoopWatchdog::LoopWatchdog(IoPool& pool, std::chrono::milliseconds limit)
    : impl_(std::make_unique<Impl>(pool, limit)) {}

LoopWatchdog::~LoopWatchdog() { stop(); }

void LoopWatchdog::start() {
  install_handler();
  for (auto& loop : impl_->loops) loop->turned = Clock::now();
  impl_->thread = std::thread([impl = impl_.get()] {
    ::pthread_setname_np(::pthread_self(), "loop-watchdog");
    impl->watch();
  });
}

void LoopWatchdog::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->is_stopping = true;
  }
  impl_->wake.notify_all();
  if (impl_->thread.joinable()) impl_->thread.join();
}

std::size_t LoopWatchdog::stalled() const {
  std::size_t count = 0;
  for (const auto& loop : impl_->loops) count += loop->is_stalled ? 1 : 0;
  return count;
}

void LoopWatchdog::expect_end() {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->ending_at) impl_->ending_at = Clock::now() + impl_->limit;
}

}  // namespace web
