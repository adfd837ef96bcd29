#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/timex.h>

#include <linux/magic.h>

#include <chrono>

#include "appliance/box/cli/doctor/checks.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mebibyte = 1 << 20, least_free = 1024 * mebibyte, scarce = 100 * mebibyte;
constexpr rlim_t enough_descriptors = 8'192;

std::string in_mebibytes(std::uint64_t bytes) { return std::to_string(bytes / mebibyte) + " MiB"; }

fs::path existing(fs::path path) {
  path = fs::absolute(path);
  while (!fs::exists(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

Finding check_disk(const Settings& settings) {
  const std::string check = "disk";
  const auto path = existing(settings.data).string();
  struct statvfs space {};
  struct statfs kind {};
  if (::statvfs(path.c_str(), &space) != 0 || ::statfs(path.c_str(), &kind) != 0)
    return {check, Level::problem, "the file system of " + path + " cannot be read", "check the mount"};
  const std::uint64_t block = space.f_frsize, free = space.f_bavail * block, all = space.f_blocks * block;
  if ((space.f_flag & ST_RDONLY) != 0)
    return {check, Level::problem, "the file system of " + path + " is mounted read-only", "mount it writable"};
  if (kind.f_type == TMPFS_MAGIC || kind.f_type == RAMFS_MAGIC)
    return {check, Level::warning, path + " is in memory: everything is lost with the next restart of the machine",
            "use a folder on a disk"};
  const auto found = in_mebibytes(free) + " of " + in_mebibytes(all) + " are free";
  if (space.f_files > 0 && space.f_favail < 1'000)
    return {check, Level::problem, "only " + std::to_string(space.f_favail) + " inodes are free", "remove small files"};
  if (free < scarce) return {check, Level::problem, found, "free space: a full disk makes the store read-only"};
  if (free < least_free)
    return {check, Level::warning, found, "free space soon: a full disk makes the store read-only"};
  return {check, Level::ok, found, {}};
}

Finding check_descriptors() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const auto found =
      "at most " + (files.rlim_max == RLIM_INFINITY ? "unlimited" : std::to_string(files.rlim_max)) + " open files";
  if (files.rlim_max < enough_descriptors)
    return {"open files", Level::warning, found, "raise the limit (LimitNOFILE= of the service) for many connections"};
  return {"open files", Level::ok, found, {}};
}

Finding check_clock() {
  using namespace std::chrono;
  const std::string check = "clock";
  if (system_clock::now() < sys_days(2025y / January / 1))
    return {check, Level::problem, "it is wrong by years: sessions, certificates and signatures are refused",
            "set it, and install an NTP client such as systemd-timesyncd"};
  timex state{};
  const int answer = ::adjtimex(&state);
  if (answer == TIME_ERROR || (state.status & STA_UNSYNC) != 0)
    return {check, Level::warning, "no program keeps it right (it is not synchronised)",
            "install an NTP client such as systemd-timesyncd; on an air-gapped network, one that asks a server there"};
  return {check, Level::ok, "it is synchronised", {}};
}

Finding check_time_zones() {
  if (fs::exists("/usr/share/zoneinfo/UTC")) return {"time zones", Level::ok, "/usr/share/zoneinfo is there", {}};
  return {"time zones", Level::warning, "/usr/share/zoneinfo is missing: scheduled prompts know only UTC",
          "apt-get install tzdata"};
}

}  // namespace

Findings check_machine(const Settings& settings) {
  return {check_disk(settings), check_descriptors(), check_clock(), check_time_zones()};
}

}  // namespace agentbox::cli::doctor
