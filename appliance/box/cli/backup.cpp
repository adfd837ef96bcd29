#include <iostream>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/maintenance/data_copy.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/beneath.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "store/engine.h"
#include "store/seal.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

// Throws store::Corrupt if it was sealed under another key.
std::string opened(const std::string& settings, const std::string& master_key) {
  return store::Sealer(master_key).open(settings, 0, config_file_name, "text");
}

void require_folder(const DataFolder& folder) {
  if (!fs::exists(folder.store()))
    throw UsageError("there is no box in " + folder.path().string() + ": name its data folder with --data");
}

void copy_store(const Settings& settings, const std::string& master_key, const fs::path& to,
                const std::string& acting_as) {
  const BoxClient box(settings, acting_as);
  if (!box.is_running()) {
    open_store(settings)->backup(to);
    return;
  }
  const boost::json::object body{{"to", to.string()}, {"keyFingerprint", key_fingerprint(master_key)}};
  box.call("POST", "/api/admin/backup", body, std::chrono::hours(1));
}

void print_left_out(const fs::path& workspace, std::size_t folders) {
  std::cout << "left out of " << workspace.string() << ": " << folders << (folders == 1 ? " folder" : " folders")
            << " within more than 200 others\n";
}

// A key from the environment is not written to the data folder.
struct FoundKey {
  std::string key;
  bool belongs_in_file = true;
};

FoundKey find_key(const DataFolder& source, const RestoreOptions& options, const Settings& settings) {
  if (options.key_file) return {.key = read_key_file(*options.key_file)};
  if (!settings.master_key.empty()) return {.key = crypto::unhex(settings.master_key), .belongs_in_file = false};
  if (fs::exists(source.key_file())) return {.key = read_key_file(source.key_file())};
  throw UsageError("the backup in " + source.path().string() +
                   " does not hold its master key: name the box's master.key with --key, or set AGENTBOX_MASTER_KEY");
}

std::string open_settings(const DataFolder& source, const std::string& master_key) {
  const auto file = source.path() / maintenance::sealed_settings_name;
  if (!fs::exists(file))
    throw UsageError("the backup in " + source.path().string() +
                     " was cut off: " + std::string(maintenance::sealed_settings_name) + " is missing, make it again");
  try {
    return opened(maintenance::text_of(file), master_key);
  } catch (const store::Corrupt&) {
    throw UsageError("the master key does not open the backup in " + source.path().string() +
                     ": use the one of the box that was backed up");
  }
}

}  // namespace

int backup(const Settings& settings, const BackupOptions& options) {
  const DataFolder folder(settings.data);
  require_folder(folder);
  const DataFolder copy(fs::absolute(options.to).lexically_normal());
  if (fs::exists(copy.store() / "CURRENT"))
    throw UsageError(copy.path().string() + " holds a box, not a backup: name another folder with --to");
  if (is_beneath(copy.path(), folder.path()))
    throw UsageError(copy.path().string() + " is inside the data folder " + folder.path().string() +
                     ": name a folder outside of it with --to, best on another disk");
  const std::string master_key = folder.master_key(settings);
  copy.prepare("folder of the backup", "--to");
  try {
    fs::remove(copy.key_file());
    copy_store(settings, master_key, copy.store(), options.acting_as);
    maintenance::copy_workspaces(folder.agents(), copy.agents(), print_left_out);
    maintenance::copy_skills(folder, copy);
    maintenance::seal_settings(folder, copy, master_key);
    if (options.with_key) write_key_file(copy.key_file(), master_key);
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the backup failed: ") + error.what());
  }
  std::cout << "backed up to " << copy.path().string() << '\n'
            << (options.with_key
                    ? "with master.key: this folder gives access to every secret of the box, protect it like the box"
                    : "without master.key: keep a copy of it elsewhere, the backup cannot be restored without it")
            << '\n';
  return 0;
}

int restore(const RestoreOptions& options, const Settings& settings) {
  const DataFolder source(options.from), folder(settings.data);
  if (!fs::exists(source.store())) throw UsageError("there is no backup in " + source.path().string());
  if (fs::exists(folder.store()))
    throw UsageError(folder.path().string() + " already holds a box: restore into another folder with --data");
  const auto found = find_key(source, options, settings);
  const auto config = open_settings(source, found.key);
  folder.prepare();
  try {
    if (found.belongs_in_file) write_key_file(folder.key_file(), found.key);
    if (!config.empty()) write_private_file(folder.config_file(), config);
    if (fs::exists(source.agents())) maintenance::copy_workspaces(source.agents(), folder.agents(), print_left_out);
    maintenance::copy_skills(source, folder);
    store::Store::restore(source.store(), folder.store());  // last: a folder with a store is complete
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the restore failed: ") + error.what());
  }
  std::cout << "restored to " << folder.path().string() << '\n';
  if (!found.belongs_in_file) std::cout << "the key stays in AGENTBOX_MASTER_KEY: set it for agentbox serve, too\n";
  return 0;
}

int verify(const Settings& settings) {
  require_folder(DataFolder(settings.data));
  bool is_torn = false;
  const auto print_note = [&is_torn](const std::string& trouble) {
    is_torn = true;
    std::cout << "note: " << trouble << '\n';
  };
  const auto findings = open_store(settings, Access::read_only, print_note)->verify();
  for (const auto& finding : findings) std::cout << finding.where << ": " << finding.what << '\n';
  const auto* sound = is_torn ? "all files, records and indexes before the end of the log are sound\n"
                              : "all files, records and indexes are sound\n";
  std::cout << (findings.empty() ? sound
                                 : "the store is damaged: keep a copy of its folder, then restore the newest backup "
                                   "with `agentbox restore` into an empty one\n");
  if (!findings.empty()) return 1;
  return is_torn ? 3 : 0;
}

}  // namespace agentbox::cli
