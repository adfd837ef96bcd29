#include "appliance/hosting/runtime/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <span>
#include <system_error>

#include "appliance/hosting/runtime/proc.h"

namespace runtime {
namespace {

constexpr int first_visible = 4;   // descriptor of the first Visible while the child makes its view
constexpr int nice_increment = 5;  // nice value: about a third of the box's weight on a contended core
constexpr std::uint64_t untouched_address_space = 1ull << 30;  // thread stacks, allocator arenas

enum class Step : int { session, view, descriptors, limits, user, privileges, folder, exec };

const char* name_of(Step step) {
  switch (step) {
    case Step::session:
      return "begin a session";
    case Step::view:
      return "get its own view of the files";
    case Step::descriptors:
      return "set up its descriptors";
    case Step::limits:
      return "set its resource limits";
    case Step::user:
      return "become the agent's own user";
    case Step::privileges:
      return "give up privileges";
    case Step::folder:
      return "enter its workspace";
    case Step::exec:
      return "run the program";
  }
  return "start";
}

struct Failure {
  Step step;
  int error;
};

// A folder or file that stays visible below the hidden folder.
struct Visible {
  std::string path;
  std::vector<std::string> parents;  // below the hidden folder, outermost first
  bool is_folder = false;
  std::string source;  // itself by the descriptor the child opens it at, for when its path is covered
};

// Everything the child needs, prepared by the parent: between vfork and execve the child shares the parent's memory,
// so it only makes system calls on what is here and allocates nothing.
struct Prepared {
  const char* binary;
  char* const* arguments;
  char* const* environment;
  const char* folder;
  int input, output, report;  // all above 3
  const char* hidden;         // null: nothing is
  std::span<const Visible> visible;
  bool change_user;
  uid_t user;
  rlimit open_files, file_bytes, address_space, processes;
};

[[noreturn]] void fail(Step step) {
  Failure failure{step, errno};
  [[maybe_unused]] auto written = ::write(3, &failure, sizeof failure);
  ::_exit(127);
}

void limit(__rlimit_resource resource, const rlimit& value) {
  if (::setrlimit(resource, &value) != 0) fail(Step::limits);
}

void make_view(const Prepared& plan) {
  auto must = [](int result) {
    if (result != 0) fail(Step::view);
  };
  must(::unshare(CLONE_NEWNS));
  must(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  // Opened in the new namespace: nothing can be bound across two. The first free descriptors are those after 3.
  int expected = first_visible;
  for (auto& one : plan.visible)
    if (::open(one.path.c_str(), O_PATH | O_CLOEXEC) != expected++) fail(Step::view);
  must(::mount("tmpfs", plan.hidden, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0711,size=1m,nr_inodes=1k"));
  ::umask(0);
  for (auto& one : plan.visible) {
    for (auto& parent : one.parents)
      if (::mkdir(parent.c_str(), 0711) != 0 && errno != EEXIST) fail(Step::view);
    must(one.is_folder ? ::mkdir(one.path.c_str(), 0711) : ::mknod(one.path.c_str(), S_IFREG | 0600, 0));
    must(::mount(one.source.c_str(), one.path.c_str(), nullptr, MS_BIND, nullptr));
  }
}

// setresuid and its kin as bare system calls: glibc's wrappers would change the user of the parent's threads too.
void become(uid_t user) {
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) fail(Step::user);
  if (::syscall(SYS_setresgid, user, user, user) != 0) fail(Step::user);
  if (::syscall(SYS_setresuid, user, user, user) != 0) fail(Step::user);
}

// If memory runs out, agents are killed before the box.
void volunteer_for_the_oom_killer() {
  int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] auto written = ::write(file, "500", 3);
  ::close(file);
}

[[noreturn]] void run_child(const Prepared& plan) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);

  if (::dup3(plan.report, 3, O_CLOEXEC) < 0) ::_exit(127);
  if (::setsid() < 0) fail(Step::session);
  if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.output, 2) < 0) fail(Step::descriptors);
  if (::close_range(4, ~0U, 0) != 0) fail(Step::descriptors);
  if (plan.hidden) make_view(plan);

  volunteer_for_the_oom_killer();
  [[maybe_unused]] const int niceness = ::nice(nice_increment);
  limit(RLIMIT_CORE, rlimit{0, 0});
  limit(RLIMIT_NOFILE, plan.open_files);
  limit(RLIMIT_FSIZE, plan.file_bytes);
#ifndef AGENTBOX_SANITIZED
  limit(RLIMIT_AS, plan.address_space);  // sanitizers map terabytes they never touch
#endif
  if (plan.change_user) {
    limit(RLIMIT_NPROC, plan.processes);
    become(plan.user);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(Step::privileges);
  ::umask(077);
  if (::chdir(plan.folder) != 0) fail(Step::folder);

  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.binary, plan.arguments, plan.environment);
  fail(Step::exec);
}

// In a function of its own, because nothing of the caller's frame may change between the two returns of vfork.
__attribute__((noinline)) pid_t vfork_child(const Prepared& plan) {
  pid_t pid = ::vfork();
  if (pid == 0) run_child(plan);
  return pid;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (auto& text : texts) found.push_back(const_cast<char*>(text.c_str()));
  found.push_back(nullptr);
  return found;
}

rlimit up_to(std::uint64_t value, __rlimit_resource resource) {
  rlimit now{};
  ::getrlimit(resource, &now);
  auto bound = std::min<rlim_t>(value, now.rlim_max);  // raising the hard limit would need privileges
  return {bound, bound};
}

// A copy above 3, so that the child can put its report pipe at 3 without overwriting one it still needs.
files::Descriptor above_three(int fd) { return files::Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 10)); }

// What of `paths` lies below `hidden`; the rest is visible anyway.
std::vector<Visible> below(const std::filesystem::path& hidden, const std::vector<std::filesystem::path>& paths) {
  std::vector<Visible> found;
  if (hidden.empty()) return found;
  for (auto& path : paths) {
    const auto inside = path.lexically_relative(hidden);
    if (inside.empty() || *inside.begin() == "..") continue;
    Visible one{.path = path.string(),
                .parents = {},
                .is_folder = std::filesystem::is_directory(path),
                .source = "/proc/self/fd/" + std::to_string(first_visible + int(found.size()))};
    auto parent = hidden;
    for (auto& part : inside.parent_path()) one.parents.push_back((parent /= part).string());
    found.push_back(std::move(one));
  }
  return found;
}

web::Error failed(std::string_view what, int error) {
  return web::internal("The agent's process could not " + std::string(what) + ": " +
                       std::system_category().message(error) + ".");
}

}  // namespace

web::Result<Child> spawn(const SpawnPlan& plan) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return failed("get a pipe", errno);
  files::Descriptor read_end(pipe_ends[0]), write_end(pipe_ends[1]);
  files::Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto input = above_three(null.get()), output = above_three(plan.output), report = above_three(write_end.get());
  if (!input || !output || !report) return failed("get its descriptors", errno);
  write_end.reset();

  const auto visible = below(plan.hidden, plan.visible);
  auto arguments = pointers(plan.arguments), environment = pointers(plan.environment);
  const Prepared prepared{.binary = plan.binary.c_str(),
                          .arguments = arguments.data(),
                          .environment = environment.data(),
                          .folder = plan.folder.c_str(),
                          .input = input.get(),
                          .output = output.get(),
                          .report = report.get(),
                          .hidden = plan.hidden.empty() ? nullptr : plan.hidden.c_str(),
                          .visible = visible,
                          .change_user = plan.user.has_value(),
                          .user = plan.user.value_or(0),
                          .open_files = up_to(plan.limits.open_files, RLIMIT_NOFILE),
                          .file_bytes = up_to(plan.limits.file_bytes, RLIMIT_FSIZE),
                          .address_space = up_to(plan.limits.memory_bytes + untouched_address_space, RLIMIT_AS),
                          .processes = up_to(plan.limits.processes, RLIMIT_NPROC)};

  // No handler of ours may run in the child while it shares our memory.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = vfork_child(prepared);
  int fork_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  report.reset();
  if (pid < 0) return failed("be created", fork_error);

  // The child cannot be reaped by anyone but us, so its pid is still its own.
  Child child{.pid = pid, .process = proc::open_process(pid)};
  Failure failure{};
  if (::read(read_end.get(), &failure, sizeof failure) == sizeof failure || !child.process) {
    int open_error = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    if (!failure.error) return failed("be watched", open_error);
    return failed(name_of(failure.step), failure.error);
  }
  return child;
}

}  // namespace runtime
