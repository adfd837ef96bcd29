#include "appliance/runtime/commands.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "appliance/runtime/agent_confinement.h"
#include "appliance/runtime/agent_user.h"
#include "appliance/runtime/command_helper.h"
#include "appliance/runtime/proc.h"
#include "sandbox/command.h"
#include "sandbox/spawn_messages.h"
#include "sandbox/system_error.h"
#include "web/log.h"

namespace runtime {

namespace {

constexpr int command_niceness = 10;      // as agents
constexpr int command_oom_score = 1'000;  // the first to be killed if memory runs out
constexpr std::uint64_t command_open_files = 256, browser_open_files = 1'024;
constexpr std::uint64_t thread_stacks = 256u << 20;  // of threads, and what allocators map ahead
constexpr std::uint64_t max_temporary_bytes = 256u << 20;

struct CommandPipe {
  explicit CommandPipe(int own_end) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) sandbox::throw_errno("get a pipe");
    own.reset(ends[own_end]);
    other.reset(ends[1 - own_end]);
    if (::fcntl(own.get(), F_SETFL, O_NONBLOCK) != 0) sandbox::throw_errno("get a pipe");
  }
  files::Descriptor own, other;
};

// The box has the side of the person who types, the command the other.
struct CommandTerminal {
  explicit CommandTerminal(TerminalSize size)
      : own(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)), own_input(copy()) {
    // Opened by the box's side, it needs no name: a container may have none for it.
    int is_locked = 0;
    if (::ioctl(own.get(), TIOCSPTLCK, &is_locked) != 0) sandbox::throw_errno("get a terminal");
    other.reset(::ioctl(own.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!other) sandbox::throw_errno("get a terminal");
    termios modes{};
    if (::tcgetattr(other.get(), &modes) != 0) sandbox::throw_errno("get a terminal");
    modes.c_iflag |= IUTF8;
    ::tcsetattr(other.get(), TCSANOW, &modes);
    resize_terminal(own.get(), size);
  }
  int copy() const {
    if (!own) sandbox::throw_errno("get a terminal");
    const int second = ::fcntl(own.get(), F_DUPFD_CLOEXEC, 0);
    if (second < 0) sandbox::throw_errno("get a terminal");
    return second;
  }
  files::Descriptor own, own_input, other;
};

// In memory, and open to every user that has its descriptor.
files::Descriptor text_file(const std::string& text) {
  files::Descriptor file(::memfd_create("command", MFD_CLOEXEC));
  if (!file) sandbox::throw_errno("be written down");
  for (std::size_t written = 0; written < text.size();) {
    const auto more = ::pwrite(file.get(), text.data() + written, text.size() - written, off_t(written));
    if (more < 0 && errno != EINTR) sandbox::throw_errno("be written down");
    if (more > 0) written += std::size_t(more);
  }
  if (::fchmod(file.get(), 0444) != 0) sandbox::throw_errno("be written down");
  return file;
}

// Each process may take the plan's memory; all of them together are watched (resident_bytes_below), or in a group.
sandbox::Limits command_limits(const ResourceLimits& limits, sandbox::CommandPlace place) {
  return {.data_bytes = limits.memory_bytes + thread_stacks,
          .file_bytes = limits.file_bytes,
          .open_files = place == sandbox::CommandPlace::browser ? browser_open_files : command_open_files,
          .processes = limits.processes,
          .niceness = command_niceness,
          .oom_score = command_oom_score};
}

// The box's ends of a command's pipes or terminal, and the command's.
struct CommandPipes {
  explicit CommandPipes(const CommandSpec& wanted) {
    if (wanted.terminal) {
      terminal.emplace(*wanted.terminal);
      return;
    }
    input.emplace(1);
    output.emplace(0);
    if (wanted.has_own_error) error.emplace(0);
  }
  int input_end() const { return terminal ? terminal->other.get() : input->other.get(); }
  int output_end() const { return terminal ? terminal->other.get() : output->other.get(); }
  int error_end() const { return error ? error->other.get() : output_end(); }
  void give_own(RunningCommand& running) {
    running.input = std::move(terminal ? terminal->own_input : input->own);
    running.output = std::move(terminal ? terminal->own : output->own);
    if (error) running.error = std::move(error->own);
  }
  std::optional<CommandPipe> input, output, error;
  std::optional<CommandTerminal> terminal;
};

std::uint64_t temporary_bytes(const ResourceLimits& limits) {
  return std::min(limits.memory_bytes / 2, max_temporary_bytes);
}

sandbox::SpawnHelper* spawn_helper() { return sandbox::helper_of_this_process().helper.get(); }

}  // namespace

std::filesystem::path tools_folder(const std::string& setting) {
  if (setting == "off") return {};
  return setting == "system" ? "/" : setting;
}

CommandLauncher::CommandLauncher(std::filesystem::path binary, const std::filesystem::path& folder,
                                 std::filesystem::path tools, std::filesystem::path packages, bool requires_strong,
                                 CommandHelper& service)
    : tools_(std::move(tools)),
      packages_(std::move(packages)),
      requires_strong_(requires_strong),
      service_(service),
      confinement_(std::make_unique<AgentConfinement>(std::move(binary), folder)) {}

CommandLauncher::~CommandLauncher() = default;

std::string CommandLauncher::why_not() const {
  if (tools_.empty()) return "AGENT_TOOLS is off.";
  if (::access((tools_ / "bin/sh").c_str(), X_OK) != 0) return "AGENT_TOOLS has no bin/sh: " + tools_.string() + ".";
  if (service_.is_there()) return service_.why_not();
  auto why = why_not_by_the_box();
  if (!why.empty() && service_.is_configured())
    why += " A service can run commands for this box: systemctl enable --now agentbox-commands.socket.";
  return why;
}

std::string CommandLauncher::why_not_by_the_box() const {
  const auto isolation = confinement_->isolation();
  if (requires_strong_ && isolation.level != IsolationLevel::strong)
    return "Agents are not isolated strongly here (" + to_string(isolation) + "); see ISOLATION_FOR_COMMANDS.";
  if (::geteuid() == 0 && !confinement_->users().of(0)) return "Agents have no users of their own here.";
  if (const auto* served = spawn_helper(); served && !served->has_commands())
    return "The helper that starts agents may not give commands networks of their own.";
  if (spawn_helper()) return {};
  const auto missing = sandbox::why_no_commands();
  return missing.empty() ? std::string() : "Commands cannot be isolated here: " + missing + ".";
}

void CommandLauncher::give_folder(const std::filesystem::path& folder, std::uint16_t port) const {
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  if (const auto user = confinement_->users().of(port)) give_workspace(folder, *user);
}

RunningCommand start_by_helper(sandbox::SpawnHelper& helper, const CommandSpec& wanted,
                               const sandbox::GroupLimits& group) {
  CommandPipes pipes(wanted);
  const auto text = text_file(wanted.text);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) sandbox::throw_errno("get sockets");
  const files::Descriptor own(ends[0]);
  files::Descriptor its(ends[1]);
  const auto started = helper.start(sandbox::CommandStart{.agent = wanted.agent,
                                                          .place = wanted.place,
                                                          .port = wanted.port,
                                                          .limits = command_limits(wanted.limits, wanted.place),
                                                          .group = group,
                                                          .temporary_bytes = temporary_bytes(wanted.limits),
                                                          .input = pipes.input_end(),
                                                          .output = pipes.output_end(),
                                                          .error = pipes.error_end(),
                                                          .text = text.get(),
                                                          .channel = its.get()});
  RunningCommand running;
  running.pid = started.pid;
  running.process.reset(started.process);
  its.reset();
  char byte;
  if (auto received = sandbox::receive_message(own.get(), &byte, sizeof byte);
      received && !received->descriptors.empty())
    running.listening.reset(received->descriptors.front().release());
  pipes.give_own(running);
  return running;
}

RunningCommand CommandLauncher::start(const CommandSpec& wanted) const {
  if (service_.is_there()) {
    const auto served = service_.reach();
    auto running = start_by_helper(*served, wanted, confinement_->group_limits(wanted.limits));
    running.helper = served;
    return running;
  }
  if (auto* const served = spawn_helper())
    return start_by_helper(*served, wanted, confinement_->group_limits(wanted.limits));
  CommandPipes pipes(wanted);
  const auto text = text_file(wanted.text);
  std::error_code missing;
  auto [program, place] = sandbox::command_plan(
      {.user = confinement_->users().of(wanted.port).value_or(0),
       .top = tools_,
       .workspace = wanted.workspace,
       .temporary_bytes = temporary_bytes(wanted.limits),
       .limits = command_limits(wanted.limits, wanted.place),
       .packages = std::filesystem::is_directory(packages_, missing) ? packages_ : std::filesystem::path(),
       .input = pipes.input_end(),
       .output = pipes.output_end(),
       .error = pipes.error_end(),
       .text = text.get()});
  if (!confinement_->users().of(wanted.port)) place.user.reset();
  const auto group = confinement_->join_group(sandbox::command_group(wanted.agent, wanted.place), wanted.limits);
  place.cgroup = group.get();
  const auto started = sandbox::start(program, place);
  RunningCommand running;
  running.pid = started.pid;
  running.process.reset(started.process);
  running.listening.reset(started.listening);
  pipes.give_own(running);
  return running;
}

// Null: the box, or a service that has ended and took it along.
std::shared_ptr<sandbox::SpawnHelper> CommandLauncher::starter_of(const RunningCommand& command) const {
  auto served = command.helper.lock();
  if (!served && spawn_helper()) served = {std::shared_ptr<void>(), spawn_helper()};  // there as long as the process
  return served && served->has_started(command.pid) ? served : nullptr;
}

void CommandLauncher::signal(const RunningCommand& command, int signal) const {
  try {
    if (const auto served = starter_of(command))
      served->signal(command.pid, signal);
    else
      proc::send_signal(command.process.get(), signal);
  } catch (const std::system_error& error) {  // it has ended, or the helper has, which took it along
    web::log::info("command_not_signalled", {{"reason", std::string(error.what())}});
  }
}

std::optional<int> CommandLauncher::collect(const RunningCommand& command, const std::string& agent,
                                            sandbox::CommandPlace place) const {
  int status = 0;
  try {
    if (const auto served = starter_of(command))
      status = served->collect(command.pid);
    else if (::waitpid(command.pid, &status, 0) != command.pid)
      return std::nullopt;
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  if (!spawn_helper()) confinement_->remove_group(sandbox::command_group(agent, place));
  return command_exit_code(status);
}

void resize_terminal(int terminal, TerminalSize size) {
  const winsize window{.ws_row = size.rows, .ws_col = size.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(terminal, TIOCSWINSZ, &window);  // fails once it has ended
}

int command_exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::map<pid_t, std::uint64_t> CommandLauncher::resident_bytes(const std::vector<pid_t>& commands) const {
  return resident_bytes_below(commands);
}

std::map<pid_t, std::uint64_t> resident_bytes_below(const std::vector<pid_t>& roots) {
  std::map<pid_t, proc::Stat> all;
  proc::each_process([&all](pid_t pid) {
    if (const auto found = proc::stat(pid)) all.emplace(pid, *found);
  });
  std::map<pid_t, std::uint64_t> sums;
  for (const auto root : roots) sums[root] = 0;
  constexpr int deepest = 64;
  for (const auto& [pid, stat] : all) {
    auto at = pid;
    for (int level = 0; level < deepest && at > 1; ++level) {
      if (const auto root = sums.find(at); root != sums.end()) {
        root->second += stat.resident_bytes;
        break;
      }
      const auto parent = all.find(at);
      if (parent == all.end()) break;
      at = parent->second.parent;
    }
  }
  return sums;
}

}  // namespace runtime
