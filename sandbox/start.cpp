#include "sandbox/start.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <span>
#include <system_error>

#include "sandbox/child.h"
#include "sandbox/descriptor.h"
#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/spawn_messages.h"
#include "sandbox/system_error.h"
#include "sandbox/system_files.h"

namespace sandbox {

namespace {

int namespace_flags() { return CLONE_NEWNS | CLONE_NEWPID | (::geteuid() == 0 ? 0 : CLONE_NEWUSER); }

std::string own_map(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (const auto& text : texts) found.push_back(const_cast<char*>(text.c_str()));
  found.push_back(nullptr);
  return found;
}

// A copy where no descriptor of the child will be.
Descriptor high_copy(int fd) {
  Descriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, above_all));
  if (copy.get() < 0) throw_errno("get its descriptors");
  return copy;
}

// What of `paths` lies below `hidden`; the rest is visible anyway.
std::vector<Visible> below(const std::filesystem::path& hidden, const std::vector<std::filesystem::path>& paths,
                           int first_descriptor) {
  std::vector<Visible> found;
  for (const auto& path : paths) {
    const auto inside = path.lexically_relative(hidden);
    if (inside.empty() || *inside.begin() == "..") continue;
    Visible one{.path = path.string(),
                .parents = {},
                .is_folder = std::filesystem::is_directory(path),
                .source = "/proc/self/fd/" + std::to_string(first_descriptor + int(found.size()))};
    auto parent = hidden;
    for (const auto& part : inside.parent_path()) one.parents.push_back((parent /= part).string());
    found.push_back(std::move(one));
  }
  return found;
}

class LimitList {
 public:
  LimitList(const Limits& wanted, bool has_own_user) {
    add(RLIMIT_CORE, 0);
    add(RLIMIT_NOFILE, wanted.open_files);
    if (wanted.file_bytes > 0) add(RLIMIT_FSIZE, wanted.file_bytes);
    if (wanted.processor_time.count() > 0) add(RLIMIT_CPU, rlim_t(wanted.processor_time.count()));
    if (wanted.processes > 0 && has_own_user) add(RLIMIT_NPROC, wanted.processes);
#ifndef AGENTBOX_SANITIZED
    if (wanted.memory_bytes > 0) add(RLIMIT_AS, wanted.memory_bytes);
    if (wanted.data_bytes > 0) add(RLIMIT_DATA, wanted.data_bytes);
#endif
  }
  std::span<const Limit> all() const { return limits_; }

 private:
  void add(__rlimit_resource resource, rlim_t value) { limits_.push_back({resource, bounded(resource, value, value)}); }

  std::vector<Limit> limits_;
};

std::unique_ptr<LandlockRules> file_rules(const Program& program, const Confinement& place) {
  if (!place.files || landlock_version() < landlock_renames) return nullptr;
  auto rules = std::make_unique<LandlockRules>(LandlockRules::Also{.tcp = place.tcp.has_value(), .processes = true});
  for (const char* path : system_files) rules->allow_reading(path);
  for (const char* path : system_loaders) rules->allow_executing(path);
  rules->allow_executing(program.binary);
  rules->allow_reading_and_writing("/dev/null");
  for (const auto& path : place.files->readable) rules->allow_reading(path);
  for (const auto& path : place.files->changeable) rules->allow_changing(path);
  if (place.tcp) {
    for (const auto port : place.tcp->connect) rules->allow_connecting(port);
    for (const auto port : place.tcp->bind) rules->allow_binding(port);
  }
  return rules;
}

// Returns the failure that the child reported, if it did not execute the program.
std::optional<Failure> reported(int pipe) {
  Failure failure;
  if (::read(pipe, &failure, sizeof failure) != sizeof failure) return std::nullopt;
  return failure;
}

// Over which the child sends the listening socket of its network.
struct Channel {
  explicit Channel(int given) : child(given < 0 ? Descriptor() : high_copy(given)) {}
  Channel() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("get sockets");
    own = Descriptor(ends[0]);
    const Descriptor other(ends[1]);
    child = high_copy(other.get());
  }
  // After the child has executed the program.
  int receive() {
    char byte;
    auto received = receive_message(own.get(), &byte, sizeof byte);
    return received && !received->descriptors.empty() ? received->descriptors.front().release() : -1;
  }

  Descriptor own, child;
};

int open_process(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

void kill_and_reap(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

Started start(const Program& program, const Confinement& place) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("get a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto input = high_copy(program.input < 0 ? null.get() : program.input),
             output = high_copy(program.output < 0 ? null.get() : program.output),
             error = high_copy(program.error < 0 ? null.get() : program.error);
  auto report = high_copy(writing.get());
  writing.close();
  std::vector<Descriptor> inherited;
  std::vector<int> inherited_numbers;
  for (const int fd : program.inherited) inherited_numbers.push_back(inherited.emplace_back(high_copy(fd)).get());

  const auto rules = file_rules(program, place);
  const Descriptor rules_copy(rules ? high_copy(rules->descriptor()) : Descriptor());
  const Descriptor cgroup(place.cgroup >= 0 ? high_copy(place.cgroup) : Descriptor());
  const bool is_root = ::geteuid() == 0, changes_user = is_root && place.user;
  const LimitList limits(place.limits, changes_user || (place.namespaces && !is_root));
  const auto user_map = own_map(::geteuid()), group_map = own_map(::getegid());
  const auto oom_score = std::to_string(place.limits.oom_score);
  const auto hidden = place.namespaces ? place.namespaces->hidden : std::filesystem::path();
  std::vector<Visible> visible;
  if (!hidden.empty())
    visible = below(hidden, place.namespaces->visible,
                    first_inherited + int(program.inherited.size()) + first_attached_after_report);
  std::vector<Descriptor> mounts;
  std::vector<Attached> attached;
  if (place.namespaces && place.namespaces->view) {
    const auto& view = *place.namespaces->view;
    attached.push_back({mounts.emplace_back(high_copy(view.root)).get(), hidden.c_str()});
    for (const auto& part : view.parts)
      attached.push_back({mounts.emplace_back(high_copy(part.mount)).get(), part.path.c_str()});
  }
  std::optional<PreparedTree> tree;
  if (place.namespaces && place.namespaces->tree) {
    tree = prepared(*place.namespaces->tree,
                    first_inherited + int(program.inherited.size()) + first_attached_after_report);
    for (const auto& part : place.namespaces->tree->parts)
      if (part.source.empty()) attached.push_back({mounts.emplace_back(high_copy(part.mount)).get(), nullptr});
  }
  const bool has_network = place.namespaces && place.namespaces->network;
  const int given_channel = has_network ? place.namespaces->network->channel : -1;
  auto channel = has_network && given_channel < 0 ? Channel() : Channel(given_channel);
  const auto arguments = pointers(program.arguments), environment = pointers(program.environment);
  std::optional<SystemCallFilter> filter;
  if (place.calls) filter.emplace(*place.calls);
  const sock_fprog instructions{.len = static_cast<unsigned short>(filter ? filter->instructions().size() : 0),
                                .filter = filter ? const_cast<sock_filter*>(filter->instructions().data()) : nullptr};

  Prepared plan{.binary = program.binary.c_str(),
                .arguments = arguments.data(),
                .environment = environment.data(),
                .folder = program.folder.empty() ? "/" : program.folder.c_str(),
                .input = input.get(),
                .output = output.get(),
                .error = error.get(),
                .report = report.get(),
                .landlock = rules_copy.get(),
                .cgroup = cgroup.get(),
                .inherited = inherited_numbers,
                .has_namespaces = place.namespaces.has_value(),
                .has_own_user_namespace = place.namespaces && !is_root,
                .mounts_proc = place.namespaces && kernel().own_processes,
                .user_map = user_map.c_str(),
                .group_map = group_map.c_str(),
                .hidden = hidden.empty() ? nullptr : hidden.c_str(),
                .visible = visible,
                .attached = attached,
                .tree = tree ? &*tree : nullptr,
                .network_port = has_network ? place.namespaces->network->port : std::uint16_t(0),
                .network_channel = channel.child.get(),
                .changes_user = changes_user,
                .user = place.user.value_or(0),
                .limits = limits.all(),
                .niceness = place.limits.niceness,
                .oom_score = place.limits.oom_score > 0 ? oom_score.c_str() : nullptr,
                .may_be_dumped_meanwhile = !is_root,
                .ends_with_parent = place.ends_with_parent,
                .filter = filter ? &instructions : nullptr};
  const int network = has_network ? CLONE_NEWNET : 0;
  const pid_t pid = clone_child(run_child, &plan, place.namespaces ? namespace_flags() | network : 0);
  if (pid < 0) throw_errno("be created");
  report.close();

  // It cannot be reaped by anyone but us, so its pid is still its own.
  const int process = open_process(pid);
  const int open_error = errno;
  if (const auto failure = reported(reading.get())) {
    if (process >= 0) ::close(process);
    kill_and_reap(pid);
    throw std::system_error(failure->error, std::system_category(), failure->step);
  }
  if (process < 0) {
    kill_and_reap(pid);
    throw std::system_error(open_error, std::system_category(), "be watched");
  }
  return {.pid = pid, .process = process, .listening = has_network && given_channel < 0 ? channel.receive() : -1};
}

namespace {

enum Outcome : int { no_namespaces = 1, no_proc = 2, no_network = 3, all = 4 };

IN_THE_CHILD int try_namespaces(void*) {
  // Without a map of users: only the mounts are tried.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(no_namespaces);
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) ::_exit(no_proc);
  ::_exit(::unshare(CLONE_NEWNET) == 0 ? all : no_network);
}

Kernel tried_kernel() {
  Kernel found{.landlock = landlock_version()};
  const pid_t pid = clone_child(try_namespaces, nullptr, namespace_flags());
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return found;
  found.namespaces = WEXITSTATUS(status) != no_namespaces;
  found.own_processes = WEXITSTATUS(status) >= no_network;
  found.own_network = WEXITSTATUS(status) == all;
  return found;
}

}  // namespace

const Kernel& kernel() {
  static const Kernel found = tried_kernel();
  return found;
}

}  // namespace sandbox
