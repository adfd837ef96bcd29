#include "appliance/box/open_store.h"

#include "appliance/billing/credits/account.h"
#include "appliance/box/capability_list.h"
#include "appliance/box/rollback.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/data_folder.h"

namespace agentbox {

namespace fs = std::filesystem;

store::Options store_options(const Settings& settings) {
  const DataFolder folder(settings.data);
  return {.folder = folder.store(),
          .master_key = folder.master_key(settings),
          .tables = all_tables(),
          // Counters are read in both forms, and written in the one that schema 1 does not know; likewise secrets.
          .migrations = {{.to = 2, .what = "counters in as many bytes as they need", .run = {}},
                         {.to = 3, .what = "referrals in the ledger of credits", .run = credits::take_over_referrals},
                         {.to = 4, .what = "secrets sealed under a derived key", .run = {}}}};
}

std::unique_ptr<store::Store> open_store(const Settings& settings, Access access, const store::Trouble& on_trouble) {
  const DataFolder folder(settings.data);
  if (fs::exists(folder.config_file()) && fs::exists(folder.key_file()) && !fs::exists(folder.store())) {
    throw UsageError(folder.path().string() + " was set up, but its folder " + folder.store().filename().string() +
                     " is missing: put it back, or restore a backup with `agentbox restore`");
  }
  if (access == Access::write) standby::refuse_unless_box(folder);
  auto options = store_options(settings);
  options.read_only = access == Access::read_only;
  options.on_trouble = on_trouble;
  if (access == Access::read_only) return store::Store::open(std::move(options));
  if (settings.standby != "off") options.kept_log_bytes = standby::kept_log_bytes;
  const auto schema = options.migrations.back().to;
  keep_before_upgrade(folder, schema);
  auto store = store::Store::open(std::move(options));
  note_schema(folder, schema);
  return store;
}

}  // namespace agentbox
