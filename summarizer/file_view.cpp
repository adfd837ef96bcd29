#include "summarizer/file_view.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace summarizer {
namespace {

// All of the first version, which every later one has.
constexpr std::uint64_t all_rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t to_read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string("confine the summarizer: ") + what + ": " +
                           std::generic_category().message(errno));
}

class Rules {
 public:
  Rules() {
    const landlock_ruleset_attr handled{.handled_access_fs = all_rights};
    descriptor_ = int(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
    if (descriptor_ < 0) fail("restrict files");
  }
  ~Rules() { ::close(descriptor_); }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  // What is not there need not be allowed.
  void allow(const char* path, std::uint64_t rights) {
    const int beneath = ::open(path, O_PATH | O_CLOEXEC);
    if (beneath < 0) return;
    struct stat about {};
    const bool is_folder = ::fstat(beneath, &about) == 0 && S_ISDIR(about.st_mode);
    if (!is_folder) rights &= ~std::uint64_t{LANDLOCK_ACCESS_FS_READ_DIR};
    const landlock_path_beneath_attr rule{.allowed_access = rights, .parent_fd = beneath};
    const auto result = ::syscall(SYS_landlock_add_rule, descriptor_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    const int cause = errno;
    ::close(beneath);
    errno = cause;
    if (result != 0) fail("allow files");
  }
  void enforce() {
    if (::syscall(SYS_landlock_restrict_self, descriptor_, 0) != 0) fail("restrict files");
  }

 private:
  int descriptor_;
};

bool has_landlock() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1; }

}  // namespace

bool restrict_files() {
  if (!has_landlock()) return false;
  Rules rules;
  // /run holds the resolver's settings. In /proc the kernel shows nothing private of processes outside.
  for (const char* path : {"/usr", "/lib", "/lib64", "/etc", "/proc", "/sys/devices/system/cpu", "/run/systemd/resolve",
                           "/run/resolvconf", "/run/NetworkManager", "/dev/urandom", "/dev/random"}) {
    rules.allow(path, to_read);
  }
  rules.allow("/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
  for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (const char* path = std::getenv(name)) rules.allow(path, to_read);
  }
  rules.enforce();
  return true;
}

}  // namespace summarizer
