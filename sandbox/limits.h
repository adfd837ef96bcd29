// Resource limits that are never raised: that would need privileges.
#pragma once

#include <sys/resource.h>

namespace sandbox {

// The limit, or less where the hard limit of this process is lower.
rlimit bounded(__rlimit_resource, rlim_t soft, rlim_t hard);
// For this process, permanently. Throws std::system_error.
void limit(__rlimit_resource, rlim_t soft, rlim_t hard);

}  // namespace sandbox
