#include "appliance/box/maintenance/backup_draft.h"

#include <array>

#include "appliance/box/maintenance/backup_folder.h"
#include "appliance/box/maintenance/backup_manifest.h"

namespace maintenance {

namespace {

namespace fs = std::filesystem;
using agentbox::DataFolder;
using agentbox::UsageError;

constexpr auto draft_name = ".next", ready_name = ".ready";
constexpr std::array moved_parts{"store", "agents", "skills", "master.key", "store.schema"};

// Files of a backup of the store are never changed, only added and removed.
void link_tree(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  const auto stop_at = fs::recursive_directory_iterator();
  fs::create_directory(to, failed);
  fs::recursive_directory_iterator entry(from, failed);
  for (; !failed && entry != stop_at; entry.increment(failed)) {
    const auto copy = to / entry->path().lexically_relative(from);
    if (entry->is_directory(failed))
      fs::create_directory(copy, failed);
    else if (!failed)
      fs::create_hard_link(entry->path(), copy, failed);
    if (failed) break;
  }
  if (failed) fs::remove_all(to);  // a file system without hard links, perhaps: the store is copied whole then
}

void move_into_place(const fs::path& from, const fs::path& to) {
  if (!fs::exists(fs::symlink_status(from))) return;
  if (fs::is_directory(fs::symlink_status(from)) || fs::is_directory(fs::symlink_status(to))) fs::remove_all(to);
  fs::rename(from, to);
}

}  // namespace

BackupDraft::BackupDraft(DataFolder backup) : backup_(std::move(backup)), draft_(backup_.path() / draft_name) {
  finish_backup(backup_);
  draft_.prepare("folder of the backup", "--to");
  fs::permissions(draft_.path(), fs::perms::owner_all);
  fs::remove(draft_.key_file());  // a call that was cut off may have wanted it there
  if (fs::exists(backup_.store()) && !fs::exists(draft_.store())) link_tree(backup_.store(), draft_.store());
}

void BackupDraft::complete(const std::string& master_key) {
  write_manifest(draft_, backup_, master_key);
  sync(draft_.path());
  fs::rename(draft_.path(), backup_.path() / ready_name);
  sync(backup_.path());
  finish_backup(backup_);
}

void BackupDraft::discard() noexcept {
  std::error_code ignored;
  fs::remove_all(draft_.path(), ignored);
}

void finish_backup(const DataFolder& backup) {
  const DataFolder ready(backup.path() / ready_name);
  if (!fs::exists(ready.path())) return;
  try {
    // The manifest is moved after the parts that it names.
    const auto& named = fs::exists(ready.path() / manifest_name) ? ready : backup;
    for (const auto* part : moved_parts) {
      const auto present = backup.path() / part;
      if (fs::exists(fs::symlink_status(ready.path() / part)))
        move_into_place(ready.path() / part, present);
      else if (std::string_view(part) != "store" && !is_in_manifest(named, part))
        fs::remove_all(present);
    }
    for (const auto name : {manifest_signature_name, manifest_name, sealed_settings_name})
      move_into_place(ready.path() / name, backup.path() / name);
    sync(backup.path());
    fs::remove_all(ready.path());
  } catch (const fs::filesystem_error& error) {
    throw UsageError("the backup in " + backup.path().string() +
                     " is complete and has to be put into its place first, which failed: " + error.what());
  }
}

bool is_complete_backup(const fs::path& folder) {
  return fs::exists(folder / sealed_settings_name) || fs::exists(folder / ready_name);
}

}  // namespace maintenance
