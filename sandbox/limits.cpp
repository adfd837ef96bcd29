#include "sandbox/limits.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace sandbox {

rlimit bounded(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) throw std::system_error(errno, std::system_category(), "read a limit");
  return {.rlim_cur = std::min(soft, now.rlim_max), .rlim_max = std::min(hard, now.rlim_max)};
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  const auto value = bounded(resource, soft, hard);
  if (::setrlimit(resource, &value) != 0) throw std::system_error(errno, std::system_category(), "set a limit");
}

}  // namespace sandbox
