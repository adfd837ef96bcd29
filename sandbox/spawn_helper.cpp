#include "sandbox/spawn_helper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>
#include <vector>

#include "sandbox/spawn_messages.h"

namespace sandbox {

namespace {

constexpr int patience_ms = 10'000;

[[noreturn]] void fail_ended(const std::string& name) {
  throw std::system_error(EPIPE, std::system_category(), "be served, since the " + name + " has ended");
}

[[noreturn]] void execute(const SpawnOptions& options, int socket) {
  std::vector<std::string> words{"agentbox",     "spawn",
                                 "--agents",     options.agents.string(),
                                 "--hidden",     options.hidden.string(),
                                 "--user",       std::to_string(options.box.user),
                                 "--group",      std::to_string(options.box.group),
                                 "--first-user", std::to_string(options.first_user)};
  if (!options.tools.empty()) words.insert(words.end(), {"--tools", options.tools.string()});
  if (!options.packages.empty()) words.insert(words.end(), {"--packages", options.packages.string()});
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  const int nothing = ::open("/dev/null", O_RDWR);
  // Copied upwards first, since its number may be one of those that are taken.
  const int kept = ::fcntl(socket, F_DUPFD, 64);
  for (int fd = 0; fd < spawn_socket; ++fd) ::dup2(nothing, fd);
  ::dup2(kept, spawn_socket);
  ::close_range(spawn_socket + 1, ~0U, 0);
  if (::chdir("/") != 0) ::_exit(127);
  ::setsid();  // no signal of the box's terminal reaches it
  ::execve(options.binary.c_str(), arguments.data(), no_environment);
  ::_exit(127);
}

SpawnOrder limited(SpawnTask task, const Limits& limits, const GroupLimits& group) {
  return {.task = task,
          .memory_bytes = limits.memory_bytes,
          .file_bytes = limits.file_bytes,
          .open_files = limits.open_files,
          .processes = limits.processes,
          .niceness = limits.niceness,
          .oom_score = limits.oom_score,
          .group_memory_bytes = group.memory_bytes,
          .group_processes = group.processes,
          .group_millicores = static_cast<std::uint32_t>(std::lround(group.cores * 1'000))};
}

}  // namespace

SpawnHelper::SpawnHelper(Descriptor socket, uid_t first_user, std::string name)
    : socket_(std::move(socket)), first_user_(first_user), name_(std::move(name)) {
  pollfd answer{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  SpawnAnswer ready;
  if (::poll(&answer, 1, patience_ms) <= 0) throw std::system_error(ETIMEDOUT, std::system_category(), "answer");
  const auto received = receive_message(socket_.get(), &ready, sizeof ready);
  if (!received || received->size != sizeof ready) fail_ended(name_);
  if (ready.error != 0) throw std::system_error(ready.error, std::system_category(), ready.step);
  has_control_groups_ = (ready.value & with_control_groups) != 0;
  has_commands_ = (ready.value & with_commands) != 0;
  tools_.assign(ready.step, ::strnlen(ready.step, sizeof ready.step));
}

SpawnHelper::Reply SpawnHelper::ask(const SpawnOrder& order, std::span<const int> descriptors) {
  SpawnAnswer answer;
  if (!send_message(socket_.get(), &order, sizeof order, descriptors)) fail_ended(name_);
  auto received = receive_message(socket_.get(), &answer, sizeof answer);
  if (!received || received->size != sizeof answer) {
    ::shutdown(socket_.get(), SHUT_RDWR);  // an answer that comes late would be taken for that to the next order
    fail_ended(name_);
  }
  if (answer.error != 0) throw std::system_error(answer.error, std::system_category(), answer.step);
  Reply reply{.value = answer.value, .descriptor = Descriptor()};
  if (!received->descriptors.empty()) reply.descriptor = std::move(received->descriptors.front());
  return reply;
}

Started SpawnHelper::start(const AgentStart& wanted) {
  auto order = limited(SpawnTask::start, wanted.limits, wanted.group);
  order.user = first_user_ + wanted.port;
  order.listens = wanted.port;
  std::ranges::copy(wanted.connects, std::begin(order.connects));
  wanted.agent.copy(order.agent, sizeof order.agent);  // without its zero it is refused
  return started(order, std::array{wanted.output, wanted.gateway});
}

Started SpawnHelper::start(const CommandStart& wanted) {
  auto order = limited(SpawnTask::command, wanted.limits, wanted.group);
  order.user = first_user_ + wanted.port;
  order.data_bytes = wanted.limits.data_bytes;
  order.temporary_bytes = wanted.temporary_bytes;
  order.place = std::uint32_t(wanted.place);
  wanted.agent.copy(order.agent, sizeof order.agent);
  return started(order, std::array{wanted.input, wanted.output, wanted.error, wanted.text, wanted.channel});
}

Started SpawnHelper::started(const SpawnOrder& order, std::span<const int> descriptors) {
  const std::lock_guard guard(lock_);
  auto reply = ask(order, descriptors);
  started_.insert(reply.value);
  return {.pid = reply.value, .process = reply.descriptor.release()};
}

void SpawnHelper::signal(pid_t pid, int signal) {
  const std::lock_guard guard(lock_);
  ask({.task = SpawnTask::signal, .pid = pid, .signal = signal});
}

int SpawnHelper::collect(pid_t pid) {
  const std::lock_guard guard(lock_);
  const auto reply = ask({.task = SpawnTask::collect, .pid = pid});
  started_.erase(pid);
  return reply.value;
}

bool SpawnHelper::has_started(pid_t pid) const {
  const std::lock_guard guard(lock_);
  return started_.contains(pid);
}

bool SpawnHelper::has_ended() const {
  pollfd end{.fd = socket_.get(), .events = 0, .revents = 0};
  return ::poll(&end, 1, 0) > 0;
}

std::unique_ptr<SpawnHelper> start_spawn_helper(const SpawnOptions& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::system_category(), "get sockets");
  Descriptor own(ends[0]), its(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::system_category(), "be created");
  if (pid == 0) execute(options, its.get());
  its.close();
  return std::make_unique<SpawnHelper>(std::move(own), options.first_user, "helper that starts agents");
}

HelperOfThisProcess& helper_of_this_process() {
  static HelperOfThisProcess one;
  return one;
}

}  // namespace sandbox
