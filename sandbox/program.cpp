#include "sandbox/program.h"

#include <grp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "sandbox/landlock.h"

namespace sandbox {

namespace {

constexpr int niceness = 10;
constexpr rlim_t open_files = 512;

void check(int result, const char* what) {
  if (result >= 0) return;
  const int cause = result == -1 ? errno : -result;
  throw std::system_error(cause, std::system_category(), what);
}

// Never above the current limit.
void limit(__rlimit_resource resource, rlim_t value, const char* what) {
  rlimit given{};
  check(::getrlimit(resource, &given), what);
  const rlim_t bound = std::min(value, given.rlim_max);
  const rlimit limits{.rlim_cur = bound, .rlim_max = bound};
  check(::setrlimit(resource, &limits), what);
}

// In a container whose range of ids ends before it, another one that Debian leaves unused.
uid_t existing(uid_t user) {
  constexpr uid_t small_range = 60'000;
  if (::setresgid(static_cast<gid_t>(-1), user, static_cast<gid_t>(-1)) != 0) return small_range + user % 1'000;
  check(::setresgid(static_cast<gid_t>(-1), 0, static_cast<gid_t>(-1)), "keep the group");
  return user;
}

// Everything is done relative to the working folder, which the user need not be able to reach by its path. Another
// program at work there may remove files meanwhile.
void give_folder(uid_t user) {
  check(::lchown(".", user, user), "give away the folder");
  std::error_code vanished;
  for (std::filesystem::recursive_directory_iterator at(".", vanished), end; at != end; at.increment(vanished))
    if (::lchown(at->path().c_str(), user, user) != 0 && errno != ENOENT)
      throw std::system_error(errno, std::system_category(), "give away the folder's files");
}

void restrict_files(const std::filesystem::path& program) {
  if (landlock_version() == 0) return;
  FileRules rules;
  for (const char* path : {"/usr", "/lib", "/lib64", "/etc", "/var/cache/fontconfig", "/sys/devices/system/cpu",
                           "/proc/cpuinfo", "/dev/urandom", "/run/systemd/resolve"})
    rules.allow_reading(path);
  for (const char* loaders : {"/lib64", "/usr/lib", "/lib"}) rules.allow_executing(loaders);
  rules.allow_executing(program);
  rules.allow_reading_and_writing("/dev/null");
  rules.allow_changing(".");
  rules.enforce();
}

void become(uid_t user) {
  check(::setgroups(0, nullptr), "give up groups");
  check(::setresgid(user, user, user), "change the group");
  check(::setresuid(user, user, user), "change the user");
}

void filter_system_calls(bool has_network) {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (!filter) throw std::system_error(ENOMEM, std::system_category(), "filter");
  for (const int call : {SCMP_SYS(ptrace),
                         SCMP_SYS(process_vm_readv),
                         SCMP_SYS(process_vm_writev),
                         SCMP_SYS(kill),
                         SCMP_SYS(tkill),
                         SCMP_SYS(pidfd_send_signal),
                         SCMP_SYS(mount),
                         SCMP_SYS(umount2),
                         SCMP_SYS(pivot_root),
                         SCMP_SYS(chroot),
                         SCMP_SYS(unshare),
                         SCMP_SYS(setns),
                         SCMP_SYS(bpf),
                         SCMP_SYS(perf_event_open),
                         SCMP_SYS(userfaultfd),
                         SCMP_SYS(io_uring_setup),
                         SCMP_SYS(keyctl),
                         SCMP_SYS(add_key),
                         SCMP_SYS(request_key),
                         SCMP_SYS(open_by_handle_at)})
    check(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0), "filter");
  for (scmp_datum_t family = 0; family < AF_MAX; ++family) {
    // The resolver reads this machine's addresses through netlink.
    const bool is_internet = family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
    if (has_network && is_internet) continue;
    check(
        seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, family)),
        "filter");
  }
  check(seccomp_load(filter.get()), "load the filter");
}

void end_with(pid_t parent) {
  check(::prctl(PR_SET_PDEATHSIG, SIGKILL), "end with the parent");
  if (::getppid() != parent) ::raise(SIGKILL);
}

}  // namespace

void execute(const Confinement& place, const std::vector<std::string>& command) {
  check(::chdir(place.folder.c_str()), "enter the folder");
  const bool changes_user = place.user && ::geteuid() == 0;
  const uid_t user = changes_user ? existing(*place.user) : 0;
  if (changes_user) give_folder(user);
  limit(RLIMIT_CORE, 0, "no core dumps");
  limit(RLIMIT_NOFILE, open_files, "limit the open files");
  limit(RLIMIT_FSIZE, place.file_bytes, "limit the size of files");
  if (place.processor_time.count() > 0)
    limit(RLIMIT_CPU, rlim_t(place.processor_time.count()), "limit the processor time");
  [[maybe_unused]] const int now = ::nice(niceness);
  forbid_new_privileges();
  restrict_files(command.front());
  if (changes_user) become(user);
  // Changing the user clears the signal.
  end_with(place.parent);
  filter_system_calls(place.has_network);

  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  limit(RLIMIT_AS, place.memory_bytes, "limit the memory");
  ::execv(arguments.front(), arguments.data());
  throw std::system_error(errno, std::system_category(), "run " + command.front());
}

}  // namespace sandbox
