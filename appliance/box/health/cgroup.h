// What a container, a systemd slice or the like lets this process have, less than the machine has.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace health {

struct CgroupMemory {
  std::uint64_t limit = 0, used = 0;  // bytes; used: without what the page cache can give back
};
struct CgroupCpu {
  double cores = 0;
  std::chrono::microseconds used{0};  // over all cores, since the group was made
};

// Of the process's own control group and those it lies in, the tightest limit of each; nothing where none is set.
// Version 2 (Linux, admin-guide/cgroup-v2), else version 1.
class Cgroup {
 public:
  explicit Cgroup(std::filesystem::path mount = "/sys/fs/cgroup",
                  std::filesystem::path membership = "/proc/self/cgroup")
      : mount_(std::move(mount)), membership_(std::move(membership)) {}

  std::optional<CgroupMemory> memory() const;
  std::optional<CgroupCpu> cpu() const;

 private:
  // The group's folder: for version 1 of this controller.
  std::filesystem::path folder(std::string_view controller) const;
  bool is_second_version() const;

  const std::filesystem::path mount_, membership_;
};

}  // namespace health
