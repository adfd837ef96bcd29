#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

namespace sandbox {

namespace {

namespace fs = std::filesystem;

constexpr auto own_group = "box";

// The kernel takes a value as one write.
bool write(const fs::path& file, const std::string& value) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool is_written = ::write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  const int error = errno;
  ::close(fd);
  errno = error;
  return is_written;
}

void set(const fs::path& file, const std::string& value) {
  if (!write(file, value)) throw std::system_error(errno, std::system_category(), "limit its control group");
}

// The line "0::/path" of version 2.
std::optional<fs::path> group_of(const fs::path& membership) {
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/") && line.find("..") == std::string::npos) return fs::path(line.substr(4));
  return std::nullopt;
}

bool has_controllers(const fs::path& file) {
  std::ifstream input(file);
  bool memory = false, pids = false, cpu = false;
  for (std::string name; input >> name;) {
    memory = memory || name == "memory";
    pids = pids || name == "pids";
    cpu = cpu || name == "cpu";
  }
  return memory && pids && cpu;
}

}  // namespace

std::optional<Cgroups> Cgroups::take(const fs::path& mount, const fs::path& membership) {
  const auto group = group_of(membership);
  if (!group || !group->has_relative_path()) return std::nullopt;  // the machine's or the container's own group
  auto folder = mount / *group;
  if (folder.filename() == own_group) folder = folder.parent_path();  // taken before, by another part of the box
  if (!has_controllers(folder / "cgroup.controllers") || ::access((folder / "cgroup.procs").c_str(), W_OK) != 0)
    return std::nullopt;
  std::error_code failed;
  fs::create_directory(folder / own_group, failed);
  const auto self = std::to_string(::getpid());
  if (failed || !write(folder / own_group / "cgroup.procs", self)) return std::nullopt;
  if (write(folder / "cgroup.subtree_control", "+memory +pids +cpu")) return Cgroups(folder);
  write(folder / "cgroup.procs", self);  // others are in it, too: it is not the box's to divide
  ::rmdir((folder / own_group).c_str());
  return std::nullopt;
}

int Cgroups::prepare(const std::string& name, const GroupLimits& limits) const {
  constexpr long period = 100'000;  // microseconds
  const auto group = folder_ / name;
  fs::create_directory(group);
  if (limits.memory_bytes > 0) set(group / "memory.max", std::to_string(limits.memory_bytes));
  if (limits.processes > 0) set(group / "pids.max", std::to_string(limits.processes));
  if (limits.cores > 0)
    set(group / "cpu.max", std::to_string(std::lround(limits.cores * period)) + " " + std::to_string(period));
  const int procs = ::open((group / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (procs < 0) throw std::system_error(errno, std::system_category(), "join its control group");
  return procs;
}

void Cgroups::remove(const std::string& name) const { ::rmdir((folder_ / name).c_str()); }

}  // namespace sandbox
