// A program of another project, run in the place of this process: in one folder, with one user's rights, within limits.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sandbox {

struct Confinement {
  pid_t parent = 0;              // the program gets SIGKILL when this process, its parent, ends
  std::filesystem::path folder;  // its working folder, and the only one that it may change
  // User and group to become, which then own the folder and the files in it. Ignored unless this process is root.
  std::optional<uid_t> user;
  bool has_network = false;  // may open sockets
  std::uint64_t memory_bytes = 0, file_bytes = 0;
  std::chrono::seconds processor_time{0};  // 0: unlimited
};

// Executes `command`, whose first item is the program's path, with this process's environment and descriptors. The
// program can read what the operating system has installed and nothing else, and cannot signal or trace other
// processes. Where the kernel has no Landlock, only the user and the permissions of files protect these. Throws
// std::system_error with the step that failed; this process is then good for nothing but exiting.
[[noreturn]] void execute(const Confinement&, const std::vector<std::string>& command);

}  // namespace sandbox
