#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "web/log.h"
#include "web/server/server.h"

namespace web {
namespace {

// Each context is run by a single thread, so that Asio never needs to wake others.
struct Core {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<Executor> work{context.get_executor()};
  std::thread thread;
};

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// How long an idle thread polls for events before it sleeps, if events are frequent.
constexpr microseconds looking{200};

// The average time between idle moments.
class Rhythm {
 public:
  void idle_at(Clock::time_point now) {
    const auto pause = std::min<Clock::duration>(now - last_, longest);
    average_ += (pause - average_) / 16;
    last_ = now;
  }
  bool is_brisk() const { return average_ < microseconds(300); }

 private:
  static constexpr Clock::duration longest = std::chrono::milliseconds(4);  // so that one long pause has little weight
  Clock::duration average_ = longest;
  Clock::time_point last_ = Clock::now();
};

// Polls for a while, yielding the processor to other threads. Returns whether there was an event.
bool look(boost::asio::io_context& context, Clock::time_point until) {
  while (Clock::now() < until) {
    sched_yield();
    if (context.poll() > 0) return true;
  }
  return false;
}

// Like io_context::run, but the thread does not sleep between frequent events. After a sleep a request takes twice as
// long: caches and branch predictors are cold, and a virtual machine must get the processor back from its host.
void run(boost::asio::io_context& context) {
  Rhythm rhythm;
  while (!context.stopped()) {
    if (context.poll() > 0) continue;
    const auto now = Clock::now();
    rhythm.idle_at(now);
    if (rhythm.is_brisk() && look(context, now + looking)) continue;
    context.run_one();
  }
}

void run(Core& core, std::size_t index) {
  pthread_setname_np(pthread_self(), ("io-" + std::to_string(index)).c_str());
  for (;;) {
    try {
      run(core.context);
      return;
    } catch (const std::exception& error) {
      // An exception that escapes from background work must not end the connections of this core.
      log::error("io_thread_exception", {{"what", std::string(error.what())}});
    }
  }
}

}  // namespace

struct IoPool::Impl {
  std::vector<std::unique_ptr<Core>> cores;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> running{false};
};

IoPool::IoPool(unsigned threads) : impl_(std::make_unique<Impl>()) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < threads; ++i) impl_->cores.push_back(std::make_unique<Core>());
}

IoPool::~IoPool() { stop(); }

std::size_t IoPool::size() const { return impl_->cores.size(); }

boost::asio::io_context& IoPool::at(std::size_t index) { return impl_->cores.at(index)->context; }

boost::asio::io_context& IoPool::next() {
  return at(impl_->next.fetch_add(1, std::memory_order_relaxed) % impl_->cores.size());
}

void IoPool::start() {
  if (impl_->running.exchange(true)) throw std::logic_error("the I/O threads are running already");
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  for (std::size_t i = 0; i < size(); ++i) {
    auto& core = *impl_->cores[i];
    core.context.restart();
    core.thread = std::thread([&core, i] { run(core, i); });
  }
}

void IoPool::stop() {
  for (auto& core : impl_->cores) core->context.stop();
  for (auto& core : impl_->cores) {
    if (core->thread.joinable()) core->thread.join();
  }
  impl_->running = false;
}

bool IoPool::running() const { return impl_->running; }

std::thread::native_handle_type IoPool::thread(std::size_t index) const {
  return impl_->cores.at(index)->thread.native_handle();
}

}  // namespace web
