#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <csignal>
#include <stdexcept>

#include "web/log.h"
#include "web/server.h"

namespace web {
namespace {

// Each context is run by one thread only, which lets Asio skip waking others up.
struct Core {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<Executor> work{context.get_executor()};
  std::thread thread;
};

void run(Core& core, std::size_t index) {
  pthread_setname_np(pthread_self(), ("io-" + std::to_string(index)).c_str());
  for (;;) {
    try {
      core.context.run();
      return;
    } catch (const std::exception& error) {
      // Background work that let an exception escape must not take the connections of this core with it.
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

}  // namespace web
