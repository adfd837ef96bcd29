#include "appliance/box/summarizer_child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <csignal>
#include <optional>
#include <system_error>

#include "appliance/runtime/proc.h"
#include "sandbox/start.h"
#include "sandbox/users.h"
#include "summarizer/egress.h"
#include "summarizer/options.h"
#include "summarizer/outbound_report.h"
#include "web/client/outbound.h"
#include "web/log.h"
#include "web/server/listening_socket.h"

namespace agentbox {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using ProcessHandle = boost::asio::posix::basic_stream_descriptor<web::Executor>;

constexpr auto first_pause = 50ms, longest_pause = 5'000ms, well_behaved = 1'000ms, stop_grace = 5'000ms;
constexpr uid_t own_user = 1'900'070'003;  // which nothing else has
constexpr std::uint64_t open_files = 1'024;
constexpr std::size_t longest_report = 4'096;

// The settings it needs and the variables of a TLS client; the rest of the environment is not inherited.
std::vector<std::string> environment(const Settings& settings) {
  std::vector<std::string> variables{
      "EGRESS=" + settings.egress,
      "EGRESS_ALLOW=" + web::to_text(settings.egress_allow),
      std::string("SUMMARIZER_ALLOW_PRIVATE=") + (settings.summarizer_allow_private ? "on" : "off"),
      "SUMMARIZER_CACHE_MB=" + std::to_string(settings.summarizer_cache_mb),
      "SUMMARIZER_USER_AGENT=" + settings.summarizer_user_agent,
      "PAYMENT_RECEIVER=" + settings.payment_receiver,
      "LOG_LEVEL=" + settings.log_level,
      "LOG_FORMAT=" + settings.log_format};
  for (const char* name : {"PATH", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                           "TSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = getenv(name)) variables.push_back(std::string(name) + "=" + value);
  return variables;
}

// "signal 9" or "status 1", from the status of waitpid.
std::string exit_text(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

struct SummarizerChild::State {
  explicit State(const Settings& given) : settings(given) {}

  void spawn();
  bool reap();  // true when the child has ended

  const Settings settings;
  web::ListeningSocket socket{"127.0.0.1:0"};
  pid_t pid = 0;              // 0: none runs
  int last_status = 0;        // of the child that was reaped last
  files::Descriptor reports;  // of the child that was started last, until somebody reads it
  steady_clock::time_point started{};

  // Set by supervise(); used on its thread only.
  boost::asio::io_context* home = nullptr;
  std::optional<web::Timer> pause, ended;
  bool stopping = false, watching = false;
};

// It filters its system calls and restricts its files by itself, once it is loaded: summarizer/confine.h.
void SummarizerChild::State::spawn() {
  started = steady_clock::now();
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "summarizer: pipe");
  reports.reset(pipe[0]);
  const files::Descriptor written_by_child(pipe[1]);
  const sandbox::Program program{.binary = "/proc/self/exe",
                                 .arguments = {"agentbox", "summarizer", "--box", std::to_string(getpid())},
                                 .environment = environment(settings),
                                 .folder = {},
                                 .error = STDERR_FILENO,
                                 .inherited = {socket.descriptor(), written_by_child.get()}};
  const sandbox::Confinement place{.user = sandbox::spare_user(own_user),
                                   .namespaces = {},
                                   .files = {},
                                   .tcp = {},
                                   .calls = {},
                                   .limits = {.open_files = open_files}};
  try {
    const auto child = sandbox::start(program, place);
    ::close(child.process);
    pid = child.pid;
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string("the summarizer could not ") + error.what());
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
  target.drop_headers = {"Authorization", "Cookie", summarizer::client_id_header, summarizer::egress_header};
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
    if (state->reports)
      boost::asio::co_spawn(*state->home, count_reports(std::move(state->reports)), boost::asio::detached);
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

// Until the child has ended, or sends what is not a line.
web::Task<> SummarizerChild::count_reports(files::Descriptor pipe) {
  ProcessHandle handle(co_await boost::asio::this_coro::executor, pipe.release());
  std::string arrived;
  auto buffer = boost::asio::dynamic_buffer(arrived, longest_report);
  for (;;) {
    boost::system::error_code error;
    const auto size =
        co_await boost::asio::async_read_until(handle, buffer, '\n', boost::asio::redirect_error(web::use_task, error));
    if (error) co_return;
    const auto entry = ::summarizer::read_report(std::string_view(arrived).substr(0, size - 1));
    if (entry) web::outbound().add(*entry);
    buffer.consume(size);
  }
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
