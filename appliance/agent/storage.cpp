#include "appliance/agent/storage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "appliance/agent/workspace_path.h"
#include "appliance/foundation/disk_reserve.h"

namespace agent_process {

namespace {

// Nobody nests so deep unless to hide something: what is below counts as this much.
constexpr std::size_t max_folder_levels = 500;
constexpr std::int64_t hidden_bytes = std::int64_t{1} << 40;

// Sparse files take less than their size, and small ones more. Blocks can be reserved beyond the size, too.
std::int64_t size_of(const struct stat& info) {
  constexpr std::int64_t block = 512, rounding = 64 * 1024;
  const std::int64_t taken = info.st_blocks * block, size = info.st_size;
  return taken > size + rounding ? taken : std::min(size, taken);
}

void add_folder(const files::Descriptor& folder, bool is_reserved_folder, std::size_t level, StorageUse& use) {
  for (const auto& name : files::names_in(folder)) {
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool is_hidden = is_reserved_folder || is_reserved(name);
    if (S_ISREG(info.st_mode)) {
      use.all += size_of(info);
      if (!is_hidden) use.files += info.st_size;
    } else if (S_ISDIR(info.st_mode)) {
      if (level >= max_folder_levels) {
        use.all += hidden_bytes;
        continue;
      }
      const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
      if (below) add_folder(below, is_hidden, level + 1, use);
    }
  }
}

}  // namespace

StorageUse storage_use(const files::Root& workspace) {
  StorageUse use;
  if (const auto top = workspace.open({}, O_RDONLY | O_DIRECTORY)) add_folder(*top, false, 1, use);
  return use;
}

web::Error over_quota(std::int64_t would_be, std::int64_t used, std::int64_t quota) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "The agent's plan has room for " + std::to_string(quota) +
                              " bytes of files, and these would make " + std::to_string(would_be) + ".",
                   .code = "STORAGE_LIMIT_REACHED"};
  error.extra["current"] = used;
  error.extra["limit"] = quota;
  return error;
}

web::Result<void> StorageLimit::admit(const files::Root& workspace, const std::filesystem::path& folder,
                                      std::int64_t before, std::int64_t size) const {
  if (auto room = agentbox::DiskReserve::admit_to(folder, disk_reserve, std::uint64_t(size)); !room) return room;
  if (quota == 0 || size <= before) return {};
  const auto used = storage_use(workspace).files;
  const auto would_be = used + size - before;
  if (would_be > quota) return over_quota(would_be, used, quota);
  return {};
}

}  // namespace agent_process
