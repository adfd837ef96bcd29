#include "appliance/media/programs/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "appliance/files/descriptor.h"
#include "appliance/hosting/runtime/proc.h"

namespace programs {

namespace {

using Stream = boost::asio::posix::basic_stream_descriptor<web::Executor>;

constexpr auto as_tuple = boost::asio::as_tuple(web::use_task);
constexpr std::size_t longest_line = 64 * 1024;
constexpr std::streamoff most_last_words = 1'024;

std::vector<std::string> launcher_arguments(const Plan& plan) {
  std::vector<std::string> arguments{"agentbox",
                                     "confined",
                                     "--parent",
                                     std::to_string(::getpid()),
                                     "--folder",
                                     plan.folder.string(),
                                     "--user",
                                     std::to_string(static_cast<uid_t>(plan.user)),
                                     "--memory-mb",
                                     std::to_string(plan.memory_mb),
                                     "--file-mb",
                                     std::to_string(plan.file_mb),
                                     "--processor-seconds",
                                     std::to_string(plan.processor_time.count())};
  if (plan.has_network) arguments.emplace_back("--network");
  arguments.emplace_back("--");
  // The command line's parser takes an argument that begins with a bracket for a list.
  for (const auto& argument : plan.command) arguments.push_back("=" + argument);
  return arguments;
}

std::vector<std::string> environment() {
  return {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=.", "LANG=C.UTF-8", "TZ=UTC"};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
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

// Default signal handling, and a process group that a Ctrl-C in the terminal does not reach.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

std::string End::text() const {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

struct Child::State {
  State(boost::asio::io_context& home, const Plan& plan, files::Descriptor output_end, pid_t given_pid)
      : log(plan.folder / plan.log),
        output(home.get_executor(), output_end.release()),
        process(home.get_executor(), runtime::proc::open_process(given_pid).release()),
        pid(given_pid) {}

  const std::filesystem::path log;
  Stream output, process;
  std::string buffer;  // of the output, not yet returned
  pid_t pid = 0;       // 0: it has ended and is reaped
  End end;
};

Child::Child(boost::asio::io_context& home, const Plan& plan) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("get a pipe: ") + std::strerror(errno));
  files::Descriptor output(ends[0]), input(ends[1]);
  const auto log = (plan.folder / plan.log).string();

  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), input.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                                   0600);
  posix_spawn_file_actions_addclosefrom_np(actions.get(), STDERR_FILENO + 1);
  const SpawnAttributes attributes;
  auto arguments = launcher_arguments(plan);
  auto variables = environment();
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/proc/self/exe", actions.get(), attributes.get(), pointers(arguments).data(),
                                pointers(variables).data());
  if (error != 0) throw std::runtime_error("start " + plan.command.front() + ": " + std::strerror(error));
  state_ = std::make_unique<State>(home, plan, std::move(output), pid);
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
  const std::streamoff count = std::min(size, most_last_words);
  file.seekg(size - count);
  std::string text(static_cast<std::size_t>(count), '\0');
  file.read(text.data(), count);
  return text;
}

}  // namespace programs
