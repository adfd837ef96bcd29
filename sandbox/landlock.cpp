#include "sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "sandbox/system_error.h"

namespace sandbox {

namespace {

using Rights = unsigned long long;

constexpr Rights first_version = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
// From later versions than the headers of Debian 12; see linux/landlock.h.
constexpr Rights rename_between_folders = 1ull << 13, truncate = 1ull << 14;
constexpr Rights bind_tcp = 1, connect_tcp = 2;
constexpr Rights abstract_sockets = 1, signals = 2;
constexpr int rule_of_port = 2;

// landlock_ruleset_attr and landlock_net_port_attr of version 6.
struct Handled {
  std::uint64_t files = 0, ports = 0, scopes = 0;
};
struct PortRule {
  std::uint64_t allowed = 0, port = 0;
};
// How much of Handled the running kernel knows.
std::size_t size_of_handled(int version) {
  return sizeof(std::uint64_t) * (version >= landlock_processes ? 3 : version >= landlock_tcp ? 2 : 1);
}

constexpr Rights of_folders_only = LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM | rename_between_folders;
constexpr Rights to_read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr Rights to_write = LANDLOCK_ACCESS_FS_WRITE_FILE | truncate;
constexpr Rights to_change = of_folders_only | to_write | to_read;

Rights known_rights() {
  const int version = landlock_version();
  return first_version | (version >= 2 ? rename_between_folders : 0) | (version >= 3 ? truncate : 0);
}

}  // namespace

int landlock_version() {
  static const auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

LandlockRules::LandlockRules(Also also)
    : also_{.tcp = also.tcp && landlock_version() >= landlock_tcp,
            .processes = also.processes && landlock_version() >= landlock_processes} {
  const Handled handled{.files = known_rights(),
                        .ports = also_.tcp ? bind_tcp | connect_tcp : 0,
                        .scopes = also_.processes ? abstract_sockets | signals : 0};
  descriptor_ =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size_of_handled(landlock_version()), 0));
  if (descriptor_ < 0) throw_errno("restrict files");
}

LandlockRules::~LandlockRules() { ::close(descriptor_); }

void LandlockRules::allow_reading(const std::filesystem::path& path) { allow(path, to_read); }
void LandlockRules::allow_executing(const std::filesystem::path& path) {
  allow(path, to_read | LANDLOCK_ACCESS_FS_EXECUTE);
}
void LandlockRules::allow_reading_and_writing(const std::filesystem::path& path) { allow(path, to_read | to_write); }
void LandlockRules::allow_changing(const std::filesystem::path& path) { allow(path, to_change); }

void LandlockRules::allow(const std::filesystem::path& path, unsigned long long rights) {
  const int beneath = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (beneath < 0) return;
  struct stat about {};
  const bool is_folder = ::fstat(beneath, &about) == 0 && S_ISDIR(about.st_mode);
  if (!is_folder) rights &= ~of_folders_only;
  const landlock_path_beneath_attr rule{.allowed_access = rights & known_rights(), .parent_fd = beneath};
  const auto result = ::syscall(SYS_landlock_add_rule, descriptor_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  const int cause = errno;
  ::close(beneath);
  errno = cause;
  if (result != 0) throw_errno("allow files");
}

void LandlockRules::allow_connecting(std::uint16_t port) { allow_port(port, connect_tcp); }
void LandlockRules::allow_binding(std::uint16_t port) { allow_port(port, bind_tcp); }

void LandlockRules::allow_port(std::uint16_t port, unsigned long long right) {
  if (!also_.tcp) return;
  const PortRule rule{.allowed = right, .port = port};
  if (::syscall(SYS_landlock_add_rule, descriptor_, rule_of_port, &rule, 0) != 0) throw_errno("allow a port");
}

void LandlockRules::enforce() {
  if (::syscall(SYS_landlock_restrict_self, descriptor_, 0) != 0) throw_errno("restrict files");
}

unsigned long long landlock_reading_rights() { return to_read; }

void forbid_new_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw_errno("forbid new privileges");
}

}  // namespace sandbox
