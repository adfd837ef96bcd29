#include "appliance/box/summarizer_child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <csignal>
#include <cstring>

#include "appliance/hosting/runtime/proc.h"
#include "summarizer/options.h"
#include "web/listening_socket.h"
#include "web/log.h"

namespace agentbox {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using ProcessHandle = boost::asio::posix::basic_stream_descriptor<web::Executor>;

constexpr auto first_pause = 50ms, longest_pause = 5'000ms, well_behaved = 1'000ms, stop_grace = 5'000ms;

[[noreturn]] void fail(const char* what, int error) {
  throw std::runtime_error(std::string("start the summarizer: ") + what + ": " + std::strerror(error));
}

// The settings it needs and the variables of a TLS client; the rest of the environment is not inherited.
std::vector<std::string> environment(const Settings& settings) {
  std::vector<std::string> variables{
      std::string("SUMMARIZER_ALLOW_PRIVATE=") + (settings.summarizer_allow_private ? "on" : "off"),
      "SUMMARIZER_CACHE_MB=" + std::to_string(settings.summarizer_cache_mb),
      "SUMMARIZER_USER_AGENT=" + settings.summarizer_user_agent, "PAYMENT_RECEIVER=" + settings.payment_receiver,
      "LOG_LEVEL=" + settings.log_level};
  for (const char* name : {"PATH", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                           "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = getenv(name)) variables.push_back(std::string(name) + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// "signal 9" or "status 1", from the status of waitpid.
std::string exit_text(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class SpawnAttributes {
 public:
  SpawnAttributes() { posix_spawnattr_init(&attributes_); }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

struct SummarizerChild::State {
  explicit State(const Settings& given) : settings(given) {}

  void spawn();
  bool reap();  // true when the child has ended

  const Settings settings;
  web::ListeningSocket socket{"127.0.0.1:0"};
  pid_t pid = 0;        // 0: none runs
  int last_status = 0;  // of the child that was reaped last
  steady_clock::time_point started{};

  // Set by supervise(); used on its thread only.
  boost::asio::io_context* home = nullptr;
  std::optional<web::Timer> pause, ended;
  bool stopping = false, watching = false;
};

void SummarizerChild::State::spawn() {
  started = steady_clock::now();
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), socket.descriptor(), inherited_socket);
  posix_spawn_file_actions_addclosefrom_np(actions.get(), inherited_socket + 1);
  // The child starts with default signal handling: the box blocks signals in some threads and ignores SIGPIPE. Its own
  // process group keeps a Ctrl-C in the terminal from it.
  SpawnAttributes attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes.get(), &none);
  posix_spawnattr_setsigdefault(attributes.get(), &all);
  posix_spawnattr_setpgroup(attributes.get(), 0);
  posix_spawnattr_setflags(attributes.get(), POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> arguments{"agentbox", "summarizer", "--box", std::to_string(getpid())};
  std::vector<std::string> variables = environment(settings);
  const int error = posix_spawn(&pid, "/proc/self/exe", actions.get(), attributes.get(), pointers(arguments).data(),
                                pointers(variables).data());
  if (error != 0) {
    pid = 0;
    fail("posix_spawn", error);
  }
}

bool SummarizerChild::State::reap() {
  if (pid != 0 && waitpid(pid, &last_status, WNOHANG) == pid) pid = 0;
  return pid == 0;
}

SummarizerChild::SummarizerChild(const Settings& settings) : state_(std::make_shared<State>(settings)) {
  state_->spawn();
}

SummarizerChild::~SummarizerChild() {
  if (state_->reap()) return;
  kill(state_->pid, SIGKILL);
  waitpid(state_->pid, nullptr, 0);
}

web::ProxyTarget SummarizerChild::target() const {
  const auto url = state_->socket.url();
  web::ProxyTarget target{.name = "The summarizer"};
  target.host = "127.0.0.1";
  target.port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  target.drop_headers = {"Authorization", "Cookie", summarizer::client_id_header};
  return target;
}

void SummarizerChild::supervise(boost::asio::io_context& home) {
  state_->home = &home;
  state_->pause.emplace(home.get_executor());
  state_->ended.emplace(home.get_executor(), steady_clock::time_point::max());
  state_->watching = true;
  boost::asio::co_spawn(home, watch(state_), boost::asio::detached);
}

web::Task<> SummarizerChild::watch(std::shared_ptr<State> state) {
  auto wait = std::chrono::milliseconds(first_pause);
  boost::system::error_code error;
  while (!state->stopping) {
    if (auto handle = state->pid == 0 ? files::Descriptor() : runtime::proc::open_process(state->pid)) {
      ProcessHandle process(state->home->get_executor(), handle.release());
      co_await process.async_wait(ProcessHandle::wait_read, boost::asio::redirect_error(web::use_task, error));
    }
    state->reap();
    if (state->stopping) break;
    if (steady_clock::now() - state->started >= well_behaved) wait = first_pause;
    web::log::warning("summarizer_ended", {{"how", exit_text(state->last_status)},
                                           {"restart_in_ms", static_cast<std::int64_t>(wait.count())}});
    state->pause->expires_after(wait);
    co_await state->pause->async_wait(boost::asio::redirect_error(web::use_task, error));
    if (state->stopping) break;
    wait = std::min<std::chrono::milliseconds>(wait * 2, longest_pause);
    try {
      state->spawn();
    } catch (const std::exception& failure) {
      web::log::error("summarizer_start_failed", {{"reason", std::string(failure.what())}});
    }
  }
  state->watching = false;
  state->ended->cancel();
}

web::Task<> SummarizerChild::stop() {
  const auto state = state_;
  if (!state->home || !state->watching) co_return;
  state->stopping = true;
  state->pause->cancel();
  if (state->pid != 0) kill(state->pid, SIGTERM);
  boost::system::error_code woken;
  state->ended->expires_after(stop_grace);
  co_await state->ended->async_wait(boost::asio::redirect_error(web::use_task, woken));
  if (!state->watching) co_return;
  if (state->pid != 0) kill(state->pid, SIGKILL);
  state->ended->expires_at(steady_clock::time_point::max());
  co_await state->ended->async_wait(boost::asio::redirect_error(web::use_task, woken));
}

}  // namespace agentbox
