#include "appliance/runtime/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <map>
#include <vector>

namespace runtime {

namespace {

constexpr std::uint32_t watched_events = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
constexpr std::size_t buffer_bytes = 16 * 1024;

}  // namespace

struct FolderWatches::Shared : std::enable_shared_from_this<Shared> {
  using Stream = boost::asio::posix::basic_stream_descriptor<web::Executor>;

  Shared(boost::asio::io_context& home_context, int instance)
      : home(home_context), events(home_context.get_executor(), instance) {}

  void wait() {
    events.async_wait(Stream::wait_read, [weak = weak_from_this()](boost::system::error_code error) {
      const auto self = weak.lock();
      if (!self || error) return;
      self->read();
      self->wait();
    });
  }
  void read();
  void notify(int number);

  boost::asio::io_context& home;
  Stream events;
  std::map<int, std::vector<FolderWatch::State*>> watchers;  // by watch: one folder may have several
};

struct FolderWatch::State {
  State(std::shared_ptr<FolderWatches::Shared> of, int watch) : shared(std::move(of)), number(watch) {
    shared->watchers[number].push_back(this);
  }
  ~State() {
    auto& others = shared->watchers[number];
    std::erase(others, this);
    if (!others.empty()) return;
    shared->watchers.erase(number);
    ::inotify_rm_watch(shared->events.native_handle(), number);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::shared_ptr<FolderWatches::Shared> shared;
  const int number;
  bool has_changed = false;
  web::Timer* waiting = nullptr;  // cancelled by a change
};

void FolderWatches::Shared::notify(int number) {
  const auto known = watchers.find(number);
  if (known == watchers.end()) return;
  for (auto* watcher : known->second) {
    watcher->has_changed = true;
    if (watcher->waiting) watcher->waiting->cancel();
  }
}

// What happened does not matter: callers read the files.
void FolderWatches::Shared::read() {
  alignas(inotify_event) std::array<char, buffer_bytes> buffer;
  for (ssize_t got; (got = ::read(events.native_handle(), buffer.data(), buffer.size())) > 0;) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto& event = *reinterpret_cast<const inotify_event*>(buffer.data() + at);
      if (event.mask & IN_Q_OVERFLOW)
        for (const auto& [number, _] : watchers) notify(number);
      else
        notify(event.wd);
      at += sizeof event + event.len;
    }
  }
}

FolderWatches::FolderWatches(boost::asio::io_context& home) {
  const int instance = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (instance < 0) return;
  shared_ = std::make_shared<Shared>(home, instance);
  shared_->wait();
}

std::optional<FolderWatch> FolderWatches::open(const std::filesystem::path& folder) {
  const int number =
      shared_ ? ::inotify_add_watch(shared_->events.native_handle(), folder.c_str(), watched_events) : -1;
  if (number < 0) return std::nullopt;
  return FolderWatch(std::make_unique<FolderWatch::State>(shared_, number));
}

FolderWatch::FolderWatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
FolderWatch::FolderWatch(FolderWatch&&) noexcept = default;
FolderWatch& FolderWatch::operator=(FolderWatch&&) noexcept = default;
FolderWatch::~FolderWatch() = default;

web::Task<> FolderWatch::changed() {
  if (!state_->has_changed) {
    web::Timer timer(state_->shared->home.get_executor(), web::Timer::time_point::max());
    state_->waiting = &timer;
    boost::system::error_code cancelled;
    co_await timer.async_wait(boost::asio::redirect_error(web::use_task, cancelled));
    state_->waiting = nullptr;
    if (!state_->has_changed) throw boost::system::system_error(boost::asio::error::operation_aborted);
  }
  state_->has_changed = false;
}

}  // namespace runtime
