#include "sandbox/child.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "sandbox/landlock.h"

namespace sandbox {

namespace {

constexpr std::size_t stack_bytes = 256u << 10;

class ChildSteps {
 public:
  IN_THE_CHILD explicit ChildSteps(const Prepared& plan)
      : plan_(plan),
        report_(first_inherited + static_cast<int>(plan.inherited.size())),
        landlock_(report_ + 1),
        cgroup_(report_ + 2),
        network_(report_ + 3),
        first_attached_(report_ + first_attached_after_report),
        first_visible_(first_attached_ + static_cast<int>(plan.attached.size())) {}

  [[noreturn]] IN_THE_CHILD void run() {
    reset_signals();
    if (::dup3(plan_.report, report_, O_CLOEXEC) < 0) ::_exit(127);
    must(::setsid(), "begin a session");
    take_descriptors();
    ::ioctl(0, TIOCSCTTY, 0);  // a terminal as its input is that of its session, so that ^C reaches it
    if (plan_.cgroup >= 0) must(::write(cgroup_, "0", 1), "join its control group");
    describe_itself();
    if (plan_.network_port != 0) require(make_network(plan_.network_port, network_));
    if (plan_.has_namespaces) make_view();
    spend_less();
    give_up_capabilities();
    enter_folder();
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
  IN_THE_CHILD void require(const char* failed_step) const {
    if (failed_step) fail(failed_step);
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
    take(plan_.network_channel, network_);
    int number = first_attached_;
    for (const auto& one : plan_.attached) take(one.mount, number++);
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
    // Kernels may be without them; they only hide names of the machine.
    ::unshare(CLONE_NEWCGROUP);
    ::unshare(CLONE_NEWIPC);
    constexpr auto plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (plan_.tree) return require(make_tree(*plan_.tree));
    if (!plan_.attached.empty())
      attach(step);
    else if (plan_.hidden)
      hide(step);
    if (plan_.mounts_proc) must(::mount("proc", "/proc", "proc", plain, nullptr), step);
  }
  // Only the hidden folder is named by a path, which may not lead over links; all else is reached from descriptors, so
  // that nobody who may rename the folder can divert the mounts.
  IN_THE_CHILD void attach(const char* step) const {
    const open_how how{.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_NO_SYMLINKS};
    const auto hidden = static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, plan_.hidden, &how, sizeof how));
    must(hidden, step);
    must(::move_mount(first_attached_, "", hidden, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH), step);
    ::close(hidden);
    int mount = first_attached_;
    for (const auto& one : plan_.attached.subspan(1))
      must(::move_mount(++mount, "", first_attached_, one.path, MOVE_MOUNT_F_EMPTY_PATH), step);
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

  // Before it becomes its own user, which need not be able to reach the folder by its path.
  IN_THE_CHILD void enter_folder() const {
    must(plan_.attached.size() > 1 && !plan_.tree ? ::fchdir(first_attached_ + 1) : ::chdir(plan_.folder),
         "enter its folder");
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
  const int report_, landlock_, cgroup_, network_, first_attached_, first_visible_;
};

}  // namespace

IN_THE_CHILD int run_child(void* prepared) { ChildSteps(*static_cast<const Prepared*>(prepared)).run(); }

namespace {

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

}  // namespace

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

}  // namespace sandbox
