// Starts a program in its own session, without inherited descriptors and environment.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/descriptor.h"
#include "appliance/hosting/runtime/engine.h"

namespace runtime {

struct SpawnPlan {
  std::filesystem::path binary;
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // NAME=value; complete
  std::filesystem::path folder;          // working directory
  int output = -1;                       // stdout and stderr; stdin is /dev/null
  std::optional<uid_t> user;             // user and group to change to
  // A folder in which the child sees only `visible`, by its own mount namespace (needs CAP_SYS_ADMIN); empty: none.
  std::filesystem::path hidden;
  std::vector<std::filesystem::path> visible;
  ResourceLimits limits;
};

struct Child {
  pid_t pid = 0;
  files::Descriptor process;  // pidfd
};

// Returns once the program runs, or with the step that failed and its reason. The child has its own session and process
// group, descriptors 0 to 2 only, default signal handling, umask 077, no new privileges, a nice value five above the
// box's, and the limits (memory as address space, with a margin for untouched mappings; `processes` only with its own
// user; `cpus` is ignored). Blocks for about a millisecond; thread-safe.
web::Result<Child> spawn(const SpawnPlan&);

}  // namespace runtime
