#include "appliance/box/maintenance/backups.h"

#include "appliance/foundation/disk_reserve.h"

namespace maintenance {

namespace {

// The folder, or the one in which it will be made.
std::filesystem::path nearest_folder(std::filesystem::path path) {
  std::error_code unknown;
  while (path.has_relative_path() && !std::filesystem::exists(path, unknown)) path = path.parent_path();
  return path;
}

}  // namespace

web::Result<void> Backups::check(const std::filesystem::path& to,
                                 const std::optional<std::string>& key_fingerprint) const {
  if (!to.is_absolute()) return web::invalid("to must be an absolute path on the box");
  if (key_fingerprint && *key_fingerprint != key_fingerprint_)
    return web::conflict("the master key is not the one the box runs with: use its master.key or AGENTBOX_MASTER_KEY");
  return agentbox::DiskReserve::admit_to(nearest_folder(to), disk_reserve_, 0);
}

web::Task<web::Result<std::optional<std::string>>> Backups::make(std::filesystem::path to) {
  if (is_in_progress_.exchange(true))
    co_return web::conflict("A backup is being made already: ask again when it is done.");
  auto copy = [this, to = std::move(to)]() -> std::optional<std::string> {
    std::optional<std::string> failure;
    try {
      store_.backup(to);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    is_in_progress_ = false;
    return failure;
  };
  co_return co_await web::offload(threads_, std::move(copy));
}

}  // namespace maintenance
