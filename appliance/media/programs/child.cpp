#include "appliance/media/programs/child.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "appliance/foundation/descriptor.h"
#include "sandbox/start.h"
#include "sandbox/users.h"

namespace programs {

namespace {

using Stream = boost::asio::posix::basic_stream_descriptor<web::Executor>;

constexpr auto as_tuple = boost::asio::as_tuple(web::use_task);
constexpr std::size_t longest_line = 64 * 1024;
constexpr std::streamoff max_last_words = 1'024;

constexpr int niceness = 10;

// In a container whose range of ids ends before it, another one that Debian leaves unused.
uid_t existing(uid_t user) {
  constexpr uid_t small_range = 60'000;
  return sandbox::is_mapped(user) ? user : small_range + user % 1'000;
}

// Another program at work there may remove files meanwhile.
void give_folder(const std::filesystem::path& folder, uid_t user) {
  const auto give = [user](const std::filesystem::path& path) {
    if (::lchown(path.c_str(), user, user) != 0 && errno != ENOENT)
      throw std::system_error(errno, std::system_category(), "give away its folder");
  };
  give(folder);
  std::error_code vanished;
  for (std::filesystem::recursive_directory_iterator at(folder, vanished), end; at != end; at.increment(vanished))
    give(at->path());
}

sandbox::Confinement confinement_of(const Plan& plan, const std::filesystem::path& folder) {
  sandbox::Confinement place{
      .user = {},
      .namespaces = {},
      .files = sandbox::Files{.readable = {"/etc/nginx/mime.types"}, .changeable = {folder}},
      .tcp = {},
      .calls = sandbox::SystemCalls{.signals_others = false,
                                    .sockets = plan.has_network ? sandbox::Sockets::internet : sandbox::Sockets::none,
                                    .listens = plan.has_network},
      .limits = {.memory_bytes = plan.memory_mb << 20,
                 .file_bytes = plan.file_mb << 20,
                 .processor_time = plan.processor_time,
                 .niceness = niceness},
      .ends_with_parent = true};
  if (!plan.has_network) place.tcp = sandbox::TcpPorts{};
  if (sandbox::may_change_user()) place.user = existing(static_cast<uid_t>(plan.user));
  return place;
}

files::Descriptor opened_log(const std::filesystem::path& path) {
  files::Descriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!log) throw std::system_error(errno, std::system_category(), "open its log");
  return log;
}

}  // namespace

std::string End::text() const {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

struct Child::State {
  State(boost::asio::io_context& home, const Plan& plan, files::Descriptor output_end, const sandbox::Started& started)
      : log(plan.folder / plan.log),
        output(home.get_executor(), output_end.release()),
        process(home.get_executor(), started.process),
        pid(started.pid) {}

  const std::filesystem::path log;
  Stream output, process;
  std::string buffer;  // of the output, not yet returned
  pid_t pid = 0;       // 0: it has ended and is reaped
  End end;
};

Child::Child(boost::asio::io_context& home, const Plan& plan) try {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::system_category(), "get a pipe");
  files::Descriptor output(ends[0]);
  const files::Descriptor input(ends[1]), log = opened_log(plan.folder / plan.log);
  const auto place = confinement_of(plan, plan.folder);
  if (place.user) give_folder(plan.folder, *place.user);
  const sandbox::Program program{
      .binary = plan.command.front(),
      .arguments = plan.command,
      .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=.", "LANG=C.UTF-8", "TZ=UTC"},
      .folder = plan.folder,
      .output = input.get(),
      .error = log.get(),
      .inherited = {}};
  const auto started = sandbox::start(program, place);
  state_ = std::make_unique<State>(home, plan, std::move(output), started);
} catch (const std::system_error& error) {
  throw std::runtime_error(plan.command.front() + " could not " + error.what());
}

Child::~Child() {
  if (state_->pid == 0) return;
  kill();
  ::waitpid(state_->pid, nullptr, 0);
}

pid_t Child::pid() const { return state_->pid; }

void Child::kill() {
  // Not reaped yet, so the number is still its own.
  if (state_->pid != 0) ::kill(state_->pid, SIGKILL);
}

web::Task<std::optional<std::string>> Child::next_line() {
  auto& buffer = state_->buffer;
  for (;;) {
    if (const auto end = buffer.find('\n'); end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      co_return line;
    }
    if (buffer.size() > longest_line) buffer.clear();
    std::string piece(4'096, '\0');
    const auto [error, size] = co_await state_->output.async_read_some(boost::asio::buffer(piece), as_tuple);
    if (error) co_return std::nullopt;
    buffer.append(piece, 0, size);
  }
}

web::Task<End> Child::wait() {
  while (state_->pid != 0) {
    co_await state_->process.async_wait(Stream::wait_read, as_tuple);
    if (::waitpid(state_->pid, &state_->end.status, WNOHANG) == state_->pid) state_->pid = 0;
  }
  co_return state_->end;
}

std::string Child::last_words() const {
  std::ifstream file(state_->log, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  const std::streamoff count = std::min(size, max_last_words);
  file.seekg(size - count);
  std::string text(static_cast<std::size_t>(count), '\0');
  file.read(text.data(), count);
  return text;
}

}  // namespace programs
