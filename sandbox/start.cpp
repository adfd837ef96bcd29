#include "sandbox/start.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>

#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/system_files.h"

namespace sandbox {

namespace {

constexpr int first_inherited = 3, above_all = 64;
constexpr std::size_t stack_bytes = 256u << 10;

// The child shares this process's memory until it executes the program: it only makes system calls on what is prepared
// here and allocates nothing. Sanitizers keep books on the stack that they would find wrong afterwards.
#define IN_THE_CHILD __attribute__((no_sanitize("address", "undefined", "thread")))

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Failure {
  const char* step = nullptr;
  int error = 0;
};

// A folder or file that stays visible below the hidden folder.
struct Visible {
  std::string path;
  std::vector<std::string> parents;  // below the hidden folder, outermost first
  bool is_folder = false;
  std::string source;  // itself by the descriptor the child opens it at, for when its path is covered
};

struct Limit {
  __rlimit_resource resource;
  rlimit value;
};

struct Prepared {
  const char* binary = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;
  int input = -1, output = -1, error = -1, report = -1, landlock = -1, cgroup = -1;  // all above_all
  std::span<const int> inherited;                                                    // likewise
  bool has_namespaces = false, has_own_user_namespace = false, mounts_proc = false;
  const char* user_map = nullptr;
  const char* group_map = nullptr;
  const char* hidden = nullptr;  // null: nothing is
  std::span<const Visible> visible;
  bool changes_user = false;
  uid_t user = 0;
  std::span<const Limit> limits;
  int niceness = 0;
  const char* oom_score = nullptr;
  bool may_be_dumped_meanwhile = false;
  bool ends_with_parent = false;
  const sock_fprog* filter = nullptr;
};

class ChildSteps {
 public:
  IN_THE_CHILD explicit ChildSteps(const Prepared& plan)
      : plan_(plan),
        report_(first_inherited + static_cast<int>(plan.inherited.size())),
        landlock_(report_ + 1),
        cgroup_(report_ + 2),
        first_visible_(report_ + 3) {}

  [[noreturn]] IN_THE_CHILD void run() {
    reset_signals();
    if (::dup3(plan_.report, report_, O_CLOEXEC) < 0) ::_exit(127);
    must(::setsid(), "begin a session");
    take_descriptors();
    if (plan_.cgroup >= 0) must(::write(cgroup_, "0", 1), "join its control group");
    describe_itself();
    if (plan_.has_namespaces) make_view();
    spend_less();
    give_up_capabilities();
    // Its own user need not be able to reach the folder by its path.
    must(::chdir(plan_.folder), "enter its folder");
    if (plan_.changes_user) become();
    must(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "give up privileges");
    if (plan_.ends_with_parent) end_with_parent();
    ::umask(077);
    if (plan_.landlock >= 0) restrict_files();
    allow_signals();
    if (plan_.filter) must(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, plan_.filter), "filter its system calls");
    ::execve(plan_.binary, plan_.arguments, plan_.environment);
    fail("run the program");
  }

 private:
  [[noreturn]] IN_THE_CHILD void fail(const char* step) const {
    const Failure failure{step, errno};
    [[maybe_unused]] const auto written = ::write(report_, &failure, sizeof failure);
    ::_exit(127);
  }
  IN_THE_CHILD void must(long result, const char* step) const {
    if (result < 0) fail(step);
  }

  IN_THE_CHILD static void reset_signals() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  }
  IN_THE_CHILD static void allow_signals() {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  IN_THE_CHILD void take_descriptors() const {
    constexpr auto step = "set up its descriptors";
    must(::dup2(plan_.input, 0), step);
    must(::dup2(plan_.output, 1), step);
    must(::dup2(plan_.error, 2), step);
    int next = first_inherited;
    for (const int fd : plan_.inherited) must(::dup2(fd, next++), step);
    take(plan_.landlock, landlock_);
    take(plan_.cgroup, cgroup_);
    must(::close_range(static_cast<unsigned>(first_visible_), ~0U, 0), step);
  }

  IN_THE_CHILD void take(int given, int number) const {
    if (given >= 0)
      must(::dup3(given, number, O_CLOEXEC), "set up its descriptors");
    else
      ::close(number);
  }

  IN_THE_CHILD static bool write_to(const char* file, const char* text) {
    const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
    const auto length = static_cast<ssize_t>(::strlen(text));
    const bool wrote = fd >= 0 && ::write(fd, text, static_cast<std::size_t>(length)) == length;
    if (fd >= 0) ::close(fd);
    return wrote;
  }
  IN_THE_CHILD bool map_user() const {
    return write_to("/proc/self/uid_map", plan_.user_map) && write_to("/proc/self/setgroups", "deny") &&
           write_to("/proc/self/gid_map", plan_.group_map);
  }
  // A process whose memory may not be dumped does not own its files in /proc, and this is the box's memory still. It
  // may be dumped only as long as they are written to.
  IN_THE_CHILD void describe_itself() const {
    const bool may_be_dumped = ::prctl(PR_GET_DUMPABLE) == 1;
    if (plan_.may_be_dumped_meanwhile) ::prctl(PR_SET_DUMPABLE, 1);
    const bool is_mapped = !plan_.has_own_user_namespace || map_user();
    const int error = errno;
    if (plan_.oom_score) write_to("/proc/self/oom_score_adj", plan_.oom_score);
    if (plan_.may_be_dumped_meanwhile) ::prctl(PR_SET_DUMPABLE, may_be_dumped ? 1 : 0);
    errno = error;
    if (!is_mapped) fail("get a user namespace");
  }

  IN_THE_CHILD void make_view() const {
    constexpr auto step = "get its own view of the files";
    must(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), step);
    constexpr auto plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (plan_.hidden) hide(step);
    if (plan_.mounts_proc) must(::mount("proc", "/proc", "proc", plain, nullptr), step);
  }
  IN_THE_CHILD void hide(const char* step) const {
    // Opened in the new namespace: nothing can be bound across two.
    for (int fd = report_; fd < first_visible_; ++fd)
      if (::fcntl(fd, F_GETFD) < 0) must(::open("/", O_PATH | O_CLOEXEC), step);  // takes the free number
    int expected = first_visible_;
    for (const auto& one : plan_.visible)
      if (::open(one.path.c_str(), O_PATH | O_CLOEXEC) != expected++) fail(step);
    must(::mount("tmpfs", plan_.hidden, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0711,size=1m,nr_inodes=1k"), step);
    ::umask(0);
    for (const auto& one : plan_.visible) {
      for (const auto& parent : one.parents)
        if (::mkdir(parent.c_str(), 0711) != 0 && errno != EEXIST) fail(step);
      if (one.is_folder)
        must(::mkdir(one.path.c_str(), 0711), step);
      else
        must(::mknod(one.path.c_str(), S_IFREG | 0600, 0), step);
      must(::mount(one.source.c_str(), one.path.c_str(), nullptr, MS_BIND, nullptr), step);
    }
  }

  IN_THE_CHILD void spend_less() const {
    [[maybe_unused]] const int niceness = ::nice(plan_.niceness);
    for (const auto& limit : plan_.limits) must(::setrlimit(limit.resource, &limit.value), "set its resource limits");
  }

  // Of those in the bounding set, root gets all when it executes a program. Processes without any may not drop them.
  IN_THE_CHILD static void give_up_capabilities() {
    for (unsigned long one = 0; ::prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
      ::prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
  }

  // As bare system calls: glibc's wrappers would change the user of the parent's threads too.
  IN_THE_CHILD void become() const {
    constexpr auto step = "become its own user";
    must(::syscall(SYS_setgroups, 0, nullptr), step);
    must(::syscall(SYS_setresgid, plan_.user, plan_.user, plan_.user), step);
    must(::syscall(SYS_setresuid, plan_.user, plan_.user, plan_.user), step);
  }

  IN_THE_CHILD void end_with_parent() const {
    // Changing the user would clear it.
    must(::prctl(PR_SET_PDEATHSIG, SIGKILL), "end with the box");
    pollfd reader{.fd = report_, .events = 0, .revents = 0};
    if (::poll(&reader, 1, 0) > 0) ::_exit(127);  // the parent, which reads the report, has ended
  }

  IN_THE_CHILD void restrict_files() const {
    if (plan_.mounts_proc) {  // another one than the rules were made with
      const int proc = ::open("/proc", O_PATH | O_CLOEXEC);
      const landlock_path_beneath_attr rule{.allowed_access = landlock_reading_rights(), .parent_fd = proc};
      must(::syscall(SYS_landlock_add_rule, landlock_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0), "restrict its files");
      ::close(proc);
    }
    must(::syscall(SYS_landlock_restrict_self, landlock_, 0), "restrict its files");
  }

  const Prepared& plan_;
  const int report_, landlock_, cgroup_, first_visible_;
};

IN_THE_CHILD int run_child(void* plan) { ChildSteps(*static_cast<const Prepared*>(plan)).run(); }

class Stack {
 public:
  Stack()
      : memory_(::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::system_error(errno, std::system_category(), "be created");
  }
  ~Stack() { ::munmap(memory_, stack_bytes); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* top() const { return static_cast<char*>(memory_) + stack_bytes; }

 private:
  void* const memory_;
};

// As vfork, with a stack and namespaces of its own. No handler of ours may run in the child while it shares our memory.
pid_t clone_child(int (*body)(void*), void* argument, int namespaces) {
  // Whether our memory may be dumped is one switch for all children.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Stack stack;
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::clone(body, stack.top(), CLONE_VM | CLONE_VFORK | SIGCHLD | namespaces, argument);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

int namespace_flags() { return CLONE_NEWNS | CLONE_NEWPID | (::geteuid() == 0 ? 0 : CLONE_NEWUSER); }

std::string own_map(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (const auto& text : texts) found.push_back(const_cast<char*>(text.c_str()));
  found.push_back(nullptr);
  return found;
}

[[noreturn]] void fail(const char* step) { throw std::system_error(errno, std::system_category(), step); }

// A copy where no descriptor of the child will be.
Descriptor high_copy(int fd) {
  Descriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, above_all));
  if (copy.get() < 0) fail("get its descriptors");
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

int open_process(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

void kill_and_reap(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

Started start(const Program& program, const Confinement& place) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("get a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto input = high_copy(null.get()), output = high_copy(program.output < 0 ? null.get() : program.output),
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
    visible = below(hidden, place.namespaces->visible, first_inherited + int(program.inherited.size()) + 3);
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
                .changes_user = changes_user,
                .user = place.user.value_or(0),
                .limits = limits.all(),
                .niceness = place.limits.niceness,
                .oom_score = place.limits.oom_score > 0 ? oom_score.c_str() : nullptr,
                .may_be_dumped_meanwhile = !is_root,
                .ends_with_parent = place.ends_with_parent,
                .filter = filter ? &instructions : nullptr};
  const pid_t pid = clone_child(run_child, &plan, place.namespaces ? namespace_flags() : 0);
  if (pid < 0) fail("be created");
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
  return {.pid = pid, .process = process};
}

namespace {

enum Outcome : int { no_namespaces = 1, no_proc = 2, all = 3 };

IN_THE_CHILD int try_namespaces(void*) {
  // Without a map of users: only the mounts are tried.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(no_namespaces);
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) ::_exit(no_proc);
  ::_exit(all);
}

Kernel tried_kernel() {
  Kernel found{.landlock = landlock_version()};
  const pid_t pid = clone_child(try_namespaces, nullptr, namespace_flags());
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return found;
  found.namespaces = WEXITSTATUS(status) != no_namespaces;
  found.own_processes = WEXITSTATUS(status) == all;
  return found;
}

}  // namespace

const Kernel& kernel() {
  static const Kernel found = tried_kernel();
  return found;
}

}  // namespace sandbox
