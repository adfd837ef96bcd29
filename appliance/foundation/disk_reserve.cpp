#include "appliance/foundation/disk_reserve.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "appliance/foundation/byte_size.h"

namespace agentbox {

namespace {

struct Disk {
  std::uint64_t size = 0, free = 0;
};

std::optional<Disk> disk_of(const std::filesystem::path& folder) {
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0 || found.f_blocks == 0) return std::nullopt;
  return Disk{.size = std::uint64_t(found.f_blocks) * found.f_frsize,
              .free = std::uint64_t(found.f_bavail) * found.f_frsize};
}

std::uint64_t reserve_of(const std::filesystem::path& folder, std::string_view setting) {
  constexpr std::uint64_t gibibyte = 1ull << 30;
  if (const auto chosen = parse_byte_size(setting)) return *chosen;
  const auto disk = disk_of(folder);
  return disk ? std::min(std::max(gibibyte, disk->size / 20), disk->size / 10) : 0;
}

std::uint64_t room_beyond(const std::filesystem::path& folder, std::uint64_t reserve) {
  const auto disk = disk_of(folder);
  if (!disk) return std::numeric_limits<std::uint64_t>::max();
  return disk->free - std::min(disk->free, reserve);
}

// The folder, or the one in which it will be made.
std::filesystem::path nearest_folder(std::filesystem::path path) {
  std::error_code unknown;
  while (path.has_relative_path() && !std::filesystem::exists(path, unknown)) path = path.parent_path();
  return path;
}

bool is_on_one_disk(const std::filesystem::path& a, const std::filesystem::path& b) {
  struct stat of_a {
  }, of_b{};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

}  // namespace

DiskReserve::DiskReserve(std::filesystem::path folder, std::string_view setting)
    : folder_(std::move(folder)), bytes_(reserve_of(folder_, setting)) {}

std::uint64_t DiskReserve::room() const { return room_beyond(folder_, bytes_); }

web::Result<void> DiskReserve::admit_at(const std::filesystem::path& to, std::uint64_t more) const {
  const auto nearest = nearest_folder(to);
  return admit_to(nearest, is_on_one_disk(nearest, folder_) ? bytes_ : 0, more);
}

web::Result<void> DiskReserve::admit_to(const std::filesystem::path& folder, std::uint64_t reserve,
                                        std::uint64_t more) {
  if (reserve == 0) return {};
  const auto room = room_beyond(folder, reserve);
  if (room > 0 && room >= more) return {};
  return web::Error{.kind = web::Kind::unavailable,
                    .message =
                        "The box's disk is nearly full: what is left is reserved for the box itself. Delete "
                        "files, or ask the administrator for more space.",
                    .code = "DISK_RESERVE_REACHED"};
}

}  // namespace agentbox
