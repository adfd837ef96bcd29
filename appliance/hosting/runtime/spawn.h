// Starting a program in a session of its own, with nothing inherited.
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
  std::vector<std::string> environment;  // NAME=value, all of it
  std::filesystem::path folder;          // working directory
  int output = -1;                       // stdout and stderr; stdin is /dev/null
  std::optional<uid_t> user;             // user and group to become; nothing: stay
  // A folder that is empty for the child but for `visible` below it, by a mount namespace of its own (needs
  // CAP_SYS_ADMIN); empty: the child sees what everyone sees.
  std::filesystem::path hidden;
  std::vector<std::filesystem::path> visible;
  ResourceLimits limits;
};

struct Child {
  pid_t pid = 0;
  files::Descriptor process;  // pidfd
};

// Returns once the program runs, or with the step that failed and its reason. The child has its own session and process
// group, descriptors 0 to 2 only, default signal handling, umask 077, no new privileges, five steps of niceness more
// than ours, and the limits (memory counts as address space, with room for what is mapped and never touched;
// `processes` only with a user of its own; `cpus` not at all). Blocks for about a millisecond; callable from every
// thread.
web::Result<Child> spawn(const SpawnPlan&);

}  // namespace runtime
