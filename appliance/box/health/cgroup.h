// The limits that control groups (a container, a systemd slice) set for this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace health {

struct CgroupMemory {
  std::uint64_t limit = 0, used = 0;  // bytes; used: without reclaimable page cache
};
struct CgroupCpu {
  double cores = 0;
  std::chrono::microseconds used{0};  // over all cores, since the group was created
};

// The tightest limits of the process's control group and its ancestors; nothing if none is set. Version 2 (Linux,
// admin-guide/cgroup-v2), else version 1.
class Cgroup {
 public:
  explicit Cgroup(std::filesystem::path mount = "/sys/fs/cgroup",
                  std::filesystem::path membership = "/proc/self/cgroup")
      : mount_(std::move(mount)), membership_(std::move(membership)) {}

  std::optional<CgroupMemory> memory() const;
  std::optional<CgroupCpu> cpu() const;

 private:
  // The group's folder; in version 1 that of this controller.
  std::filesystem::path folder(std::string_view controller) const;
  bool is_second_version() const;

  const std::filesystem::path mount_, membership_;
};

}  // namespace health
