#include "summarizer/confine.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "summarizer/file_view.h"

namespace summarizer {
namespace {

void check(int result, const char* what) {
  if (result < 0) {
    const int cause = result == -1 ? errno : -result;
    throw std::runtime_error(std::string("confine the summarizer: ") + what + ": " +
                             std::generic_category().message(cause));
  }
}

// Never above the current limit.
void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard, const char* what) {
  rlimit given{};
  check(::getrlimit(resource, &given), what);
  const rlimit limits{.rlim_cur = std::min(soft, given.rlim_max), .rlim_max = std::min(hard, given.rlim_max)};
  check(::setrlimit(resource, &limits), what);
}

#ifdef AGENTBOX_SANITIZED
constexpr bool sanitized = true;  // sanitizers map terabytes, and look for leaks with a tracing child
#else
constexpr bool sanitized = false;
#endif

void filter_system_calls() {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (!filter) throw std::runtime_error("confine the summarizer: no memory for the system-call filter");
  const auto refuse = [&filter](int call) {
    check(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0), "filter");
  };
  for (const int call : {SCMP_SYS(execve),
                         SCMP_SYS(execveat),
                         SCMP_SYS(process_vm_readv),
                         SCMP_SYS(process_vm_writev),
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
                         SCMP_SYS(init_module),
                         SCMP_SYS(finit_module),
                         SCMP_SYS(delete_module),
                         SCMP_SYS(kexec_load),
                         SCMP_SYS(kexec_file_load),
                         SCMP_SYS(open_by_handle_at),
                         SCMP_SYS(reboot),
                         SCMP_SYS(swapon),
                         SCMP_SYS(swapoff),
                         SCMP_SYS(acct),
                         SCMP_SYS(settimeofday),
                         SCMP_SYS(clock_settime),
                         SCMP_SYS(sethostname),
                         SCMP_SYS(setdomainname),
                         SCMP_SYS(iopl),
                         SCMP_SYS(ioperm),
                         SCMP_SYS(quotactl),
                         SCMP_SYS(personality),
                         SCMP_SYS(unlink),
                         SCMP_SYS(unlinkat),
                         SCMP_SYS(rename),
                         SCMP_SYS(renameat),
                         SCMP_SYS(renameat2),
                         SCMP_SYS(mknod),
                         SCMP_SYS(mknodat),
                         SCMP_SYS(chmod),
                         SCMP_SYS(fchmodat),
                         SCMP_SYS(chown),
                         SCMP_SYS(fchownat),
                         SCMP_SYS(link),
                         SCMP_SYS(linkat),
                         SCMP_SYS(symlink),
                         SCMP_SYS(symlinkat)}) {
    refuse(call);
  }
  if (!sanitized) {
    refuse(SCMP_SYS(ptrace));
    refuse(SCMP_SYS(fork));
    refuse(SCMP_SYS(vfork));
    // A thread shares its memory with us; a process does not. glibc tries clone3 first, whose flags a filter cannot
    // see, and falls back to clone if clone3 is unavailable.
    check(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0), "filter");
    check(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                           SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)),
          "filter");
  }
  // abort() and raise() use tgkill.
  refuse(SCMP_SYS(kill));
  refuse(SCMP_SYS(tkill));
  refuse(SCMP_SYS(pidfd_send_signal));
  const auto self = static_cast<scmp_datum_t>(::getpid());
  check(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, self)),
        "filter");
  for (scmp_datum_t family = 0; family < AF_MAX; ++family) {
    // The resolver reads this machine's addresses through netlink.
    if (family == AF_INET || family == AF_INET6 || family == AF_NETLINK) continue;
    check(
        seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, family)),
        "filter");
  }
  check(seccomp_load(filter.get()), "load the system-call filter");
}

}  // namespace

void confine_process() {
  constexpr rlim_t address_space = rlim_t{2} << 30, open_files = 1'024;
  constexpr auto processor_time = std::chrono::seconds(std::chrono::hours(1)), last_words = std::chrono::seconds(60);
  limit(RLIMIT_CORE, 0, 0, "no core dumps");
  limit(RLIMIT_NOFILE, open_files, open_files, "limit the open files");
  limit(RLIMIT_CPU, rlim_t(processor_time.count()), rlim_t((processor_time + last_words).count()),
        "limit the processor time");
  if (!sanitized) limit(RLIMIT_AS, address_space, address_space, "limit the address space");
  check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
  restrict_files();
  filter_system_calls();
}

}  // namespace summarizer
