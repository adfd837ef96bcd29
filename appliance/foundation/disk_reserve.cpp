#include "appliance/foundation/disk_reserve.h"

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

}  // namespace

DiskReserve::DiskReserve(std::filesystem::path folder, std::string_view setting)
    : folder_(std::move(folder)), bytes_(reserve_of(folder_, setting)) {}

std::uint64_t DiskReserve::room() const { return room_beyond(folder_, bytes_); }

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
