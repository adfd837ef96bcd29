#include "sandbox/system_calls.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

namespace sandbox {

namespace {

using Names = std::span<const char* const>;

#ifdef AGENTBOX_SANITIZED
constexpr bool sanitized = true;  // sanitizers look for leaks with a tracing process, which itself is untraced
#else
constexpr bool sanitized = false;
#endif

// Names of architectures other than ours, and of later kernels than libseccomp's, are skipped.
constexpr const char* always[] = {
    // files that are open, and looking at others
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2", "lseek",
    "open", "openat", "openat2", "close", "close_range", "stat", "fstat", "lstat", "newfstatat", "statx", "access",
    "faccessat", "faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "dup",
    "dup2", "dup3", "flock", "fsync", "fdatasync", "ftruncate", "fallocate", "fadvise64", "readahead",
    "sync_file_range", "copy_file_range", "sendfile", "splice", "tee", "statfs", "fstatfs", "umask", "ioctl",
    "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
    // waiting
    "pipe", "pipe2", "eventfd", "eventfd2", "signalfd", "signalfd4", "poll", "ppoll", "select", "pselect6",
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "io_setup", "io_destroy",
    "io_submit", "io_getevents", "restart_syscall",
    // memory
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "mincore", "mlock", "munlock", "mlock2",
    "membarrier", "pkey_alloc", "pkey_free", "pkey_mprotect", "get_mempolicy",
    // threads and this process
    "arch_prctl", "prctl", "getrlimit", "setrlimit", "getrusage", "rseq", "futex", "futex_waitv", "set_robust_list",
    "get_robust_list", "set_tid_address", "getrandom", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid",
    "getegid", "getresuid", "getresgid", "getgroups", "getpgid", "getpgrp", "getsid", "setsid", "setpgid", "capget",
    "uname", "sysinfo", "times", "getcpu", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
    "sched_get_priority_max", "sched_get_priority_min", "getpriority", "ioprio_get", "exit", "exit_group",
    // signals that it receives
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait",
    "sigaltstack", "pause",
    // time
    "time", "gettimeofday", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "alarm", "getitimer",
    "setitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "timerfd_create",
    "timerfd_settime", "timerfd_gettime",
    // sockets that it has; which it may make is decided by `socket`
    "connect", "accept", "accept4", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown", "recvfrom",
    "recvmsg", "recvmmsg",
    // giving up more
    "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"};

constexpr const char* to_change_files[] = {
    "creat",     "truncate", "mkdir",  "mkdirat",  "rmdir",     "unlink", "unlinkat",  "rename",   "renameat",
    "renameat2", "link",     "linkat", "symlink",  "symlinkat", "chmod",  "fchmod",    "fchmodat", "fchmodat2",
    "chown",     "fchown",   "lchown", "fchownat", "utime",     "utimes", "utimensat", "futimesat"};

// Of the caller alone if the argument at this index, a process, is 0: the kernel lets them change other processes of
// the same user, down to a limit of processor time that ends them.
struct Own {
  const char* name;
  unsigned process;
};
constexpr Own of_own_process[] = {
    {"prlimit64", 0}, {"sched_setaffinity", 0}, {"sched_setscheduler", 0}, {"setpriority", 1}};

constexpr int file_commands[] = {
    F_DUPFD,           F_GETFD,      F_SETFD,     F_GETFL,     F_SETFL,       F_GETLK,       F_SETLK,
    F_SETLKW,          F_GETOWN,     F_GETSIG,    F_OFD_GETLK, F_OFD_SETLK,   F_OFD_SETLKW,  F_GETLEASE,
    F_DUPFD_CLOEXEC,   F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS, F_GET_RW_HINT, F_SET_RW_HINT, F_GET_FILE_RW_HINT,
    F_SET_FILE_RW_HINT};
// They have the kernel signal another process, make others wait for a file (a lease) or be watched, or let a pipe take
// sixteen times its memory, which no limit counts.
constexpr int dangerous_file_commands[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ};

constexpr const char* to_listen[] = {"bind", "listen"};

constexpr const char* to_start_programs[] = {"execve", "execveat"};
constexpr const char* to_wait_for_processes[] = {"wait4", "waitid", "pidfd_open"};
constexpr const char* to_signal[] = {
    "kill", "tkill", "tgkill", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo"};

// Refused with EPERM rather than ENOSYS, so that a program says "not permitted" and no library works around it.
constexpr const char* dangerous[] = {"ptrace",
                                     "process_vm_readv",
                                     "process_vm_writev",
                                     "process_madvise",
                                     "pidfd_getfd",
                                     "kcmp",
                                     "mount",
                                     "umount2",
                                     "pivot_root",
                                     "chroot",
                                     "unshare",
                                     "setns",
                                     "fsopen",
                                     "fsmount",
                                     "open_tree",
                                     "move_mount",
                                     "mount_setattr",
                                     "bpf",
                                     "perf_event_open",
                                     "userfaultfd",
                                     "io_uring_setup",
                                     "keyctl",
                                     "add_key",
                                     "request_key",
                                     "init_module",
                                     "finit_module",
                                     "delete_module",
                                     "kexec_load",
                                     "kexec_file_load",
                                     "open_by_handle_at",
                                     "name_to_handle_at",
                                     "reboot",
                                     "swapon",
                                     "swapoff",
                                     "acct",
                                     "settimeofday",
                                     "clock_settime",
                                     "clock_adjtime",
                                     "adjtimex",
                                     "sethostname",
                                     "setdomainname",
                                     "iopl",
                                     "ioperm",
                                     "quotactl",
                                     "personality",
                                     "syslog",
                                     "mknod",
                                     "mknodat",
                                     "setuid",
                                     "setgid",
                                     "setreuid",
                                     "setregid",
                                     "setresuid",
                                     "setresgid",
                                     "setgroups",
                                     "setfsuid",
                                     "setfsgid",
                                     "capset",
                                     "setxattr",
                                     "lsetxattr",
                                     "fsetxattr",
                                     "fanotify_init",
                                     "lookup_dcookie",
                                     "vmsplice",
                                     "memfd_create",  // memory that no limit of a process counts
                                     "memfd_secret",
                                     "modify_ldt",
                                     "nfsservctl"};

// Of the dangerous ones, what confining another process takes.
constexpr std::string_view to_prepare_others[] = {
    "mount",     "fsopen",    "fsmount",   "open_tree", "move_mount", "mount_setattr", "mknodat",    "mknod",
    "setresuid", "setresgid", "setgroups", "capset",    "unshare",    "memfd_create",  "pivot_root", "umount2"};

constexpr scmp_datum_t new_namespaces =
    CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;

void check(int result) {
  if (result == 0) return;
  throw std::system_error(result == -1 ? errno : -result, std::system_category(), "filter system calls");
}

class Draft {
 public:
  Draft() : filter_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), seccomp_release) {
    if (!filter_) check(-ENOMEM);
    constexpr std::uint32_t binary_tree = 2;
    check(seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, binary_tree));
  }

  void allow(Names names) { add(SCMP_ACT_ALLOW, names); }
  void refuse(Names names) { add(SCMP_ACT_ERRNO(EPERM), names); }
  template <class... Conditions>
  void allow_if(const char* name, Conditions... conditions) {
    if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
      check(seccomp_rule_add(filter_.get(), SCMP_ACT_ALLOW, number, sizeof...(conditions), conditions...));
  }
  template <class... Conditions>
  void refuse_if(int error, const char* name, Conditions... conditions) {
    if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
      check(seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, sizeof...(conditions),
                             conditions...));
  }

  std::vector<sock_filter> instructions() const {
    const int file = ::memfd_create("filter", MFD_CLOEXEC);
    if (file < 0) check(-1);
    const std::unique_ptr<const int, void (*)(const int*)> closer(&file, [](const int* fd) { ::close(*fd); });
    check(seccomp_export_bpf(filter_.get(), file));
    const auto bytes = ::lseek(file, 0, SEEK_END);
    std::vector<sock_filter> found(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
    if (::pread(file, found.data(), static_cast<std::size_t>(bytes), 0) != bytes) check(-EIO);
    return found;
  }

 private:
  void add(std::uint32_t action, Names names) {
    for (const char* name : names)
      if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
        check(seccomp_rule_add(filter_.get(), action, number, 0));
  }

  const std::unique_ptr<void, decltype(&seccomp_release)> filter_;
};

void add_processes(Draft& draft, const SystemCalls& calls) {
  if (calls.starts_programs)
    draft.allow(to_start_programs);
  else
    draft.refuse(to_start_programs);
  draft.allow(to_wait_for_processes);
  // A filter cannot see the flags of clone3. glibc falls back to clone, whose flags it sees.
  constexpr const char* forks[] = {"fork", "vfork"};
  if (calls.prepares_others) {
    draft.allow(forks);
    constexpr const char* also[] = {"clone", "fsconfig"};
    return draft.allow(also);
  }
  if (calls.starts_processes) {
    draft.allow(forks);
    draft.allow_if("clone", SCMP_A0(SCMP_CMP_MASKED_EQ, new_namespaces, 0));
    return;
  }
  draft.refuse(forks);
  constexpr scmp_datum_t permitted = CLONE_THREAD | (sanitized ? CLONE_UNTRACED : 0);
  for (const scmp_datum_t one : {CLONE_THREAD, CLONE_UNTRACED})
    if (permitted & one) draft.allow_if("clone", SCMP_A0(SCMP_CMP_MASKED_EQ, new_namespaces | one, one));
  draft.refuse_if(EPERM, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, permitted, 0));
}

void add_signals(Draft& draft, const SystemCalls& calls) {
  if (calls.signals_others) return draft.allow(to_signal);
  for (const char* name : to_signal) {
    const bool is_raise = std::string_view(name) == "tgkill";
    if (is_raise && calls.self) {
      const auto self = static_cast<scmp_datum_t>(*calls.self);
      draft.allow_if(name, SCMP_A0(SCMP_CMP_EQ, self));
      draft.refuse_if(EPERM, name, SCMP_A0(SCMP_CMP_NE, self));
    } else {
      draft.refuse_if(EPERM, name);
    }
  }
}

void add_own(Draft& draft, const SystemCalls& calls) {
  for (const auto& [name, process] : of_own_process) {
    if (calls.prepares_others) {
      draft.allow({&name, 1});
      continue;
    }
    draft.allow_if(name, SCMP_CMP(process, SCMP_CMP_EQ, 0));
    draft.refuse_if(EPERM, name, SCMP_CMP(process, SCMP_CMP_NE, 0));
  }
}

void add_file_commands(Draft& draft) {
  for (const int command : file_commands) draft.allow_if("fcntl", SCMP_A1(SCMP_CMP_EQ, scmp_datum_t(command)));
  for (const int command : dangerous_file_commands)
    draft.refuse_if(EPERM, "fcntl", SCMP_A1(SCMP_CMP_EQ, scmp_datum_t(command)));
}

// Landlock sees TCP, and `connect`: neither MPTCP nor data that is sent with the request for a connection.
void add_sending(Draft& draft) {
  struct Sending {
    const char* name;
    unsigned flags;
  };
  for (const auto& [name, flags] : {Sending{"sendto", 3}, Sending{"sendmsg", 2}, Sending{"sendmmsg", 3}}) {
    draft.allow_if(name, SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0));
    draft.refuse_if(EOPNOTSUPP, name, SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
  }
}

void add_sockets(Draft& draft, Sockets sockets) {
  constexpr scmp_datum_t type_bits = 0xf;
  if (sockets == Sockets::tcp)
    draft.refuse_if(EPERM, "socketpair");
  else
    draft.allow_if("socketpair", SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
  for (const scmp_datum_t family : {AF_INET, AF_INET6}) {
    if (sockets == Sockets::none) break;
    for (const scmp_datum_t protocol : {0, int(IPPROTO_TCP)})
      draft.allow_if("socket", SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, type_bits, SOCK_STREAM),
                     SCMP_A2(SCMP_CMP_EQ, protocol));
    draft.refuse_if(EPROTONOSUPPORT, "socket", SCMP_A0(SCMP_CMP_EQ, family),
                    SCMP_A1(SCMP_CMP_MASKED_EQ, type_bits, SOCK_STREAM), SCMP_A2(SCMP_CMP_GT, IPPROTO_TCP));
    if (sockets == Sockets::internet || sockets == Sockets::local)
      draft.allow_if("socket", SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, type_bits, SOCK_DGRAM));
    else
      draft.refuse_if(EACCES, "socket", SCMP_A0(SCMP_CMP_EQ, family),
                      SCMP_A1(SCMP_CMP_MASKED_EQ, type_bits, SOCK_DGRAM));
    draft.refuse_if(EPERM, "socket", SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, type_bits, SOCK_RAW));
  }
  if (sockets == Sockets::local) draft.allow_if("socket", SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
  const bool has_netlink = sockets == Sockets::internet || sockets == Sockets::local;
  if (has_netlink) draft.allow_if("socket", SCMP_A0(SCMP_CMP_EQ, AF_NETLINK), SCMP_A2(SCMP_CMP_EQ, NETLINK_ROUTE));
  for (scmp_datum_t family = 0; family < AF_MAX; ++family) {
    const bool is_internet = family == AF_INET || family == AF_INET6;
    if (sockets != Sockets::none && is_internet) continue;
    if (has_netlink && family == AF_NETLINK) continue;
    if (sockets == Sockets::local && family == AF_UNIX) continue;
    draft.refuse_if(EAFNOSUPPORT, "socket", SCMP_A0(SCMP_CMP_EQ, family));
  }
}

}  // namespace

SystemCallFilter::SystemCallFilter(const SystemCalls& calls) {
  Draft draft;
  draft.allow(always);
  if (calls.changes_files)
    draft.allow(to_change_files);
  else
    draft.refuse(to_change_files);
  add_file_commands(draft);
  add_own(draft, calls);
  add_sending(draft);
  add_processes(draft, calls);
  add_signals(draft, calls);
  add_sockets(draft, calls.sockets);
  if (calls.listens)
    draft.allow(to_listen);
  else
    draft.refuse(to_listen);
  for (const char* const& name : dangerous) {
    const bool is_tracing = sanitized && calls.finds_leaks && std::string_view(name) == "ptrace";
    const bool is_preparing =
        calls.prepares_others && std::ranges::find(to_prepare_others, name) != std::end(to_prepare_others);
    if (is_tracing || is_preparing)
      draft.allow({&name, 1});
    else
      draft.refuse({&name, 1});
  }
  instructions_ = draft.instructions();
}

void SystemCallFilter::enforce() const {
  const sock_fprog program{.len = static_cast<unsigned short>(instructions_.size()),
                           .filter = const_cast<sock_filter*>(instructions_.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) check(-1);
}

}  // namespace sandbox
