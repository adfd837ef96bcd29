// Control groups (version 2) for confined processes, where this process may divide its own group: systemd's
// Delegate=yes, or root outside of a container.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sandbox {

struct GroupLimits {
  std::uint64_t memory_bytes = 0;
  unsigned processes = 0;
  double cores = 0;
};

class Cgroups {
 public:
  // Nothing unless memory, pids and cpu can be limited. Moves this process into a group "box" under its own, since
  // only the leaves of the tree may hold processes. `mount` and `membership` are replaced in tests.
  static std::optional<Cgroups> take(const std::filesystem::path& mount = "/sys/fs/cgroup",
                                     const std::filesystem::path& membership = "/proc/self/cgroup");

  // Makes the group, or changes its limits, and returns a descriptor of its cgroup.procs, which the caller closes.
  // Throws std::system_error.
  int prepare(const std::string& name, const GroupLimits&) const;
  // Removes the group; does nothing while it has processes, or if there is none.
  void remove(const std::string& name) const;

 private:
  explicit Cgroups(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace sandbox
