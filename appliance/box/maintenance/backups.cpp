#include "appliance/box/maintenance/backups.h"

#include "appliance/foundation/beneath.h"

namespace maintenance {

web::Result<void> Backups::check(const std::filesystem::path& to,
                                 const std::optional<std::string>& key_fingerprint) const {
  if (!to.is_absolute()) return web::invalid("to must be an absolute path on the box");
  if (agentbox::is_beneath(to, data_)) return web::invalid("to must be a folder outside of the data folder");
  if (key_fingerprint && *key_fingerprint != key_fingerprint_)
    return web::conflict("the master key is not the one the box runs with: use its master.key or AGENTBOX_MASTER_KEY");
  return {};
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
