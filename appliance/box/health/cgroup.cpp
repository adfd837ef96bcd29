#include "appliance/box/health/cgroup.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace health {

namespace {

namespace fs = std::filesystem;

// Returns nothing for anything but a number, such as "max".
std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream input(file);
  std::int64_t number = 0;
  return input >> number ? std::optional(number) : std::nullopt;
}

// The number of a line "key number"; 0 without one.
std::int64_t field_of(const fs::path& file, std::string_view key) {
  std::ifstream input(file);
  std::string name;
  for (std::int64_t number = 0; input >> name >> number;)
    if (name == key) return number;
  return 0;
}

std::uint64_t without_cache(std::int64_t used, std::int64_t cache) {
  return std::uint64_t(std::max<std::int64_t>(0, used - std::max<std::int64_t>(0, cache)));
}

std::optional<double> cores_in(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return double(*quota) / double(*period);
}

// "50000 100000", or "max 100000".
std::optional<double> cores_of_max(const fs::path& file) {
  std::ifstream input(file);
  std::int64_t quota = 0, period = 0;
  if (!(input >> quota >> period)) return std::nullopt;
  return cores_in(quota, period);
}

// From the group up to the mount's own folder.
void each_level(const fs::path& mount, fs::path folder, const std::function<void(const fs::path&)>& look) {
  for (;; folder = folder.parent_path()) {
    look(folder);
    if (folder == mount || !folder.has_relative_path()) return;
  }
}

}  // namespace

bool Cgroup::is_second_version() const {
  std::error_code unknown;
  return fs::exists(mount_ / "cgroup.controllers", unknown);
}

// Lines "hierarchy:controllers:/path"; version 2 has the one with no controllers. In a cgroup namespace the path may
// not exist in the mount: then the mount is the group.
fs::path Cgroup::folder(std::string_view controller) const {
  auto mount = controller.empty() ? mount_ : mount_ / controller;
  std::ifstream input(membership_);
  for (std::string line; std::getline(input, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    bool is_it = controller.empty() && second == first + 1;
    for (std::string name; std::getline(names, name, ',');) is_it = is_it || name == controller;
    if (!is_it) continue;
    const auto group = fs::path(line.substr(second + 1)).relative_path();
    std::error_code unknown;
    auto found = group.empty() ? mount : mount / group;
    if (fs::is_directory(found, unknown) && group.string().find("..") == std::string::npos) return found;
  }
  return mount;
}

std::optional<CgroupMemory> Cgroup::memory() const {
  std::optional<CgroupMemory> tightest;
  const auto consider = [&tightest](std::optional<std::int64_t> limit, std::optional<std::int64_t> used,
                                    std::int64_t cache) {
    if (!limit || *limit <= 0 || !used || (tightest && tightest->limit <= std::uint64_t(*limit))) return;
    tightest = CgroupMemory{.limit = std::uint64_t(*limit), .used = without_cache(*used, cache)};
  };
  if (is_second_version()) {
    each_level(mount_, folder({}), [&](const fs::path& level) {
      consider(number_in(level / "memory.max"), number_in(level / "memory.current"),
               field_of(level / "memory.stat", "inactive_file"));
    });
  } else {
    each_level(mount_ / "memory", folder("memory"), [&](const fs::path& level) {
      consider(number_in(level / "memory.limit_in_bytes"), number_in(level / "memory.usage_in_bytes"),
               field_of(level / "memory.stat", "total_inactive_file"));
    });
  }
  return tightest;
}

std::optional<CgroupCpu> Cgroup::cpu() const {
  std::optional<CgroupCpu> tightest;
  const auto consider = [&tightest](std::optional<double> cores, std::int64_t microseconds) {
    if (!cores || (tightest && tightest->cores <= *cores)) return;
    tightest = CgroupCpu{.cores = *cores, .used = std::chrono::microseconds(microseconds)};
  };
  if (is_second_version()) {
    each_level(mount_, folder({}), [&](const fs::path& level) {
      consider(cores_of_max(level / "cpu.max"), field_of(level / "cpu.stat", "usage_usec"));
    });
  } else {
    each_level(mount_ / "cpu", folder("cpu"), [&](const fs::path& level) {
      const auto cores = cores_in(number_in(level / "cpu.cfs_quota_us"), number_in(level / "cpu.cfs_period_us"));
      consider(cores, number_in(level / "cpuacct.usage").value_or(0) / 1'000);
    });
  }
  return tightest;
}

}  // namespace health
