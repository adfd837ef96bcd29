#include "web/client/fetch_loop.h"

#include <unistd.h>

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <new>
#include <stdexcept>
#include <string>

namespace web {
namespace {

constexpr long kept_connections = 256;

void check(CURLMcode code) {
  if (code == CURLM_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLM_OK) throw std::logic_error(std::string("libcurl: ") + curl_multi_strerror(code));
}

void initialise_libcurl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

CURLM* make_multi() {
  initialise_libcurl();
  CURLM* multi = curl_multi_init();
  if (!multi) throw std::bad_alloc();
  return multi;
}

// The loops of one io_context, which owns this service.
class FetchService : public boost::asio::execution_context::service {
 public:
  using key_type = FetchService;
  static boost::asio::execution_context::id id;

  explicit FetchService(boost::asio::io_context& context)
      : service(context), configured(context.get_executor()), public_only(context.get_executor()) {}

  FetchLoop configured, public_only;

 private:
  void shutdown() override {
    configured.close();
    public_only.close();
  }
};

boost::asio::execution_context::id FetchService::id;

}  // namespace

// A socket owned by libcurl. Sockets of connections are watched until they are closed, across transfers; others (of
// name look-ups) until libcurl says REMOVE.
struct FetchLoop::Watch {
  Watch(const Executor& executor, curl_socket_t socket) : descriptor(executor, socket) {}
  ~Watch() { release(); }

  void release() {
    if (descriptor.is_open()) descriptor.release();
  }
  // Nothing waits between transfers, so that the io_context can run out of work.
  void rest() {
    interest = CURL_POLL_NONE;
    if (awaits_read || awaits_write) descriptor.cancel();
  }

  boost::asio::posix::basic_stream_descriptor<Executor> descriptor;
  int interest = CURL_POLL_NONE;
  bool awaits_read = false, awaits_write = false;
};

// Keeps a transfer added while its coroutine waits.
class FetchLoop::Running {
 public:
  Running(FetchLoop& loop, Transfer& transfer, Timer& wake) : loop_(loop), transfer_(transfer) {
    // Connections keep both and outlive the transfer.
    set_option(transfer_.easy(), CURLOPT_CLOSESOCKETFUNCTION, &FetchLoop::on_close_socket);
    set_option(transfer_.easy(), CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&loop_));
    transfer_.note_sockets_in(loop_.connections_);
    const auto entry = loop_.running_.emplace(&transfer_, &wake).first;
    const CURLMcode code = curl_multi_add_handle(loop_.multi_.get(), transfer_.easy());
    if (code == CURLM_OK) return;
    loop_.running_.erase(entry);
    check(code);
  }
  ~Running() {
    if (!loop_.running_.erase(&transfer_)) return;
    curl_multi_remove_handle(loop_.multi_.get(), transfer_.easy());
    loop_.schedule();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  FetchLoop& loop_;
  Transfer& transfer_;
};

FetchLoop::FetchLoop(Executor executor)
    : executor_(std::move(executor)), timer_(executor_), multi_(make_multi(), curl_multi_cleanup) {
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &FetchLoop::on_socket));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, static_cast<void*>(this)));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &FetchLoop::on_timer));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, static_cast<void*>(this)));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept_connections));
}

FetchLoop::~FetchLoop() { close(); }

FetchLoop& FetchLoop::of(const Executor& executor, Reach reach) {
  auto& service = boost::asio::use_service<FetchService>(executor.context());
  return reach == Reach::public_only ? service.public_only : service.configured;
}

Task<> FetchLoop::run(Transfer& transfer) {
  // A callback of another transfer may have started this one.
  if (acting_) co_await boost::asio::post(executor_, use_task);
  Timer wake(executor_, Timer::time_point::max());
  const Running running(*this, transfer, wake);
  act(CURL_SOCKET_TIMEOUT, 0);  // takes the first step at once instead of by the timer
  boost::system::error_code woken;
  if (!transfer.finished()) co_await wake.async_wait(boost::asio::redirect_error(use_task, woken));
  if (!transfer.finished()) throw boost::system::system_error(boost::asio::error::operation_aborted);
}

void FetchLoop::close() {
  for (const auto& [transfer, wake] : running_) curl_multi_remove_handle(multi_.get(), transfer->easy());
  running_.clear();
  multi_.reset();
  watches_.clear();
}

int FetchLoop::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  try {
    static_cast<FetchLoop*>(self)->watch(socket, what);
    return 0;
  } catch (...) {
    return -1;  // libcurl fails the transfers with CURLE_ABORTED_BY_CALLBACK
  }
}

int FetchLoop::on_close_socket(void* self, curl_socket_t socket) {
  auto& loop = *static_cast<FetchLoop*>(self);
  loop.connections_.erase(socket);
  loop.forget(socket);
  return ::close(socket);
}

int FetchLoop::on_timer(CURLM*, long milliseconds, void* self) {
  auto& loop = *static_cast<FetchLoop*>(self);
  loop.due_ = milliseconds < 0 ? never : Clock::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

// Call it after every call of libcurl that may change its timeout.
void FetchLoop::schedule() {
  if (due_ == never && alarm_ != never) {
    alarm_ = never;
    timer_.cancel();  // lets the io_context run out of work
  }
  if (due_ >= alarm_) return;
  alarm_ = due_;
  timer_.expires_at(alarm_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    alarm_ = never;
    if (Clock::now() >= due_)
      act(CURL_SOCKET_TIMEOUT, 0);
    else
      schedule();
  });
}

void FetchLoop::watch(curl_socket_t socket, int what) {
  if (what == CURL_POLL_REMOVE && !connections_.contains(socket)) return forget(socket);
  auto& watch = watches_[socket];
  if (!watch) watch = std::make_shared<Watch>(executor_, socket);
  if (what == CURL_POLL_REMOVE) return watch->rest();
  watch->interest = what;
  arm(watch);
}

void FetchLoop::forget(curl_socket_t socket) {
  const auto found = watches_.find(socket);
  if (found == watches_.end()) return;
  found->second->release();
  watches_.erase(found);
}

void FetchLoop::arm(const std::shared_ptr<Watch>& watch) {
  const auto wait = [&](bool Watch::*awaits, int direction, auto kind, int event) {
    if (!(watch->interest & direction) || (*watch).*awaits) return;
    (*watch).*awaits = true;
    watch->descriptor.async_wait(kind, [this, watch, awaits, direction, event](boost::system::error_code error) {
      (*watch).*awaits = false;
      if (!watch->descriptor.is_open()) return;
      const bool cancelled = error == boost::asio::error::operation_aborted;
      if (watch->interest & direction && !cancelled)
        act(watch->descriptor.native_handle(), error ? CURL_CSELECT_ERR : event);
      if (watch->descriptor.is_open()) arm(watch);
    });
  };
  using Descriptor = boost::asio::posix::descriptor_base;
  wait(&Watch::awaits_read, CURL_POLL_IN, Descriptor::wait_read, CURL_CSELECT_IN);
  wait(&Watch::awaits_write, CURL_POLL_OUT, Descriptor::wait_write, CURL_CSELECT_OUT);
}

void FetchLoop::act(curl_socket_t socket, int events) {
  if (!multi_) return;
  int still_running = 0;
  if (socket == CURL_SOCKET_TIMEOUT) due_ = never;  // a timeout is reported once; the next one is reported below
  acting_ = true;
  const CURLMcode code = curl_multi_socket_action(multi_.get(), socket, events, &still_running);
  acting_ = false;
  check(code);
  collect_finished();
  schedule();
}

void FetchLoop::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* easy = message->easy_handle;
    const CURLcode code = message->data.result;  // the message is valid until the next call
    void* owner = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
    auto* transfer = static_cast<Transfer*>(owner);
    curl_multi_remove_handle(multi_.get(), easy);
    const auto found = running_.find(transfer);
    Timer& wake = *found->second;
    running_.erase(found);
    transfer->finish(code);
    wake.cancel();
  }
}

}  // namespace web
