// How much an agent's files may take: its plan's storage, and the disk space that the box keeps for itself.
#pragma once

#include <cstdint>
#include <filesystem>

#include "appliance/files/root.h"
#include "web/result.h"

namespace agent_process {

struct StorageUse {
  std::int64_t files = 0;  // bytes of the files that tools and uploads see
  std::int64_t all = 0;    // with the repository's history and the agent's own state
};
// Blocks; counts every file under the workspace.
StorageUse storage_use(const files::Root& workspace);

// History and state may take as much as the files: an agent commits what it writes.
inline bool is_within(const StorageUse& use, std::int64_t quota) { return use.files <= quota && use.all <= 2 * quota; }

struct StorageLimit {
  std::int64_t quota = 0;          // of StorageUse::files; 0: unlimited
  std::uint64_t disk_reserve = 0;  // bytes that stay free on the disk

  // Whether a file may be replaced by one of `size` bytes. too_many with `current` and `limit` beyond the quota, as for
  // uploads; unavailable where the reserve begins. Blocks.
  web::Result<void> admit(const files::Root& workspace, const std::filesystem::path& folder, std::int64_t before,
                          std::int64_t size) const;
};

// The error beyond a quota.
web::Error over_quota(std::int64_t would_be, std::int64_t used, std::int64_t quota);

}  // namespace agent_process
