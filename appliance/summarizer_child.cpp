#include "appliance/summarizer_child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <cstring>

#include "web/log.h"

namespace agentbox {

namespace {

using namespace std::chrono_literals;
using Descriptor = boost::asio::posix::basic_stream_descriptor<web::Executor>;

constexpr auto first_pause = 1s, longest_pause = 30s, well_behaved = 60s, ready_deadline = 10s, stop_grace = 5s;

// Owns a descriptor.
class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string("start the summarizer: ") + what + ": " + std::strerror(errno));
}

// The settings it needs and what a TLS client needs; everything else of ours stays here.
std::vector<std::string> environment(const Settings& settings, const std::string& listen) {
  std::vector<std::string> variables{
      "SUMMARIZER_LISTEN=" + listen,
      std::string("SUMMARIZER_ALLOW_PRIVATE=") + (settings.summarizer_allow_private ? "on" : "off"),
      "SUMMARIZER_USER_AGENT=" + settings.summarizer_user_agent, "LOG_LEVEL=" + settings.log_level};
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

std::string text_of(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

struct SummarizerChild::State {
  explicit State(const Settings& given) : settings(given), listen(given.summarizer_listen) {}

  void spawn();
  bool reap();  // true when the child has ended

  const Settings settings;
  std::string listen;  // with the port really bound, once it was ready
  pid_t pid = 0;       // 0: none runs
  File output;         // its stdout: one line when it is ready
  std::chrono::steady_clock::time_point started{};

  // Set by supervise(); used on its thread only.
  boost::asio::io_context* home = nullptr;
  std::optional<web::Timer> pause, ended;
  bool stopping = false, watching = false;
};

void SummarizerChild::State::spawn() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  File reader(ends[0]), writer(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // The box blocks signals in some threads and ignores SIGPIPE: neither is the child's business.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments{"agentbox", "summarizer", "--supervised"};
  std::vector<std::string> variables = environment(settings, listen);
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, pointers(arguments).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    pid = 0;
    errno = error;
    fail("posix_spawn");
  }
  output = std::move(reader);
  started = std::chrono::steady_clock::now();
}

bool SummarizerChild::State::reap() {
  if (pid != 0 && waitpid(pid, nullptr, WNOHANG) == pid) pid = 0;
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

std::string SummarizerChild::wait_until_ready() {
  std::string line;
  const auto deadline = std::chrono::steady_clock::now() + ready_deadline;
  while (!line.ends_with('\n')) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{.fd = state_->output.get(), .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) <= 0)
      throw UsageError("the summarizer did not start within 10 seconds: see the lines above");
    char bytes[1024];
    const auto count = read(state_->output.get(), bytes, sizeof bytes);
    if (count <= 0) throw UsageError("the summarizer ended before it was ready: see the lines above");
    line.append(bytes, static_cast<std::size_t>(count));
  }
  boost::system::error_code malformed;
  const auto message = boost::json::parse(line, malformed);
  const auto* object = malformed ? nullptr : message.if_object();
  if (object && object->contains("error")) throw UsageError(text_of(*object, "error"));
  std::string url = object ? text_of(*object, "summarizer") : std::string();
  if (url.empty()) throw UsageError("the summarizer did not say where it listens");
  state_->listen = url.substr(url.find("//") + 2);
  return url;
}

void SummarizerChild::supervise(boost::asio::io_context& home) {
  state_->home = &home;
  state_->pause.emplace(home.get_executor());
  state_->ended.emplace(home.get_executor(), std::chrono::steady_clock::time_point::max());
  state_->watching = true;
  boost::asio::co_spawn(home, watch(state_), boost::asio::detached);
}

web::Task<> SummarizerChild::watch(std::shared_ptr<State> state) {
  auto wait = std::chrono::seconds(first_pause);
  boost::system::error_code error;
  for (;;) {
    const int handle = state->pid == 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, state->pid, 0));
    if (handle >= 0) {
      Descriptor process(state->home->get_executor(), handle);
      co_await process.async_wait(Descriptor::wait_read, boost::asio::redirect_error(web::use_task, error));
    }
    state->reap();
    if (state->stopping) break;
    if (std::chrono::steady_clock::now() - state->started >= well_behaved) wait = first_pause;
    web::log::warning("summarizer ended", {{"restart_in_seconds", static_cast<std::int64_t>(wait.count())}});
    state->pause->expires_after(wait);
    co_await state->pause->async_wait(boost::asio::redirect_error(web::use_task, error));
    if (state->stopping) break;
    wait = std::min<std::chrono::seconds>(wait * 2, longest_pause);
    try {
      state->spawn();
    } catch (const std::exception& failure) {
      web::log::error("summarizer cannot be started", {{"reason", std::string(failure.what())}});
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
  state->ended->expires_at(std::chrono::steady_clock::time_point::max());
  co_await state->ended->async_wait(boost::asio::redirect_error(web::use_task, woken));
}

}  // namespace agentbox
