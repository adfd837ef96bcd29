#include "sandbox/users.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>

namespace sandbox {

bool may_change_user() {
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> held{};
  if (::geteuid() != 0 || ::syscall(SYS_capget, &head, held.data()) != 0) return false;
  constexpr auto wanted = (1u << CAP_SETUID) | (1u << CAP_SETGID) | (1u << CAP_CHOWN);
  return (held[0].effective & wanted) == wanted;
}

bool is_mapped(uid_t first, uid_t count) {
  std::ifstream map("/proc/self/uid_map");
  for (std::uint64_t inside = 0, outside = 0, length = 0; map >> inside >> outside >> length;)
    if (inside <= first && std::uint64_t(first) + count <= inside + length) return true;
  return false;
}

std::optional<uid_t> spare_user(uid_t wanted) {
  constexpr uid_t nobody = 65'534;
  if (!may_change_user()) return std::nullopt;
  for (const auto user : {wanted, nobody})
    if (is_mapped(user)) return user;
  return std::nullopt;
}

}  // namespace sandbox
