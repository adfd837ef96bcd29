#include "store/rocks/backup.h"

#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <memory>

#include "store/rocks/store_folder.h"

namespace store {

namespace fs = std::filesystem;
namespace rocks = rocksdb;

void make_backup(rocks::DB& db, const fs::path& to) {
  // Backups do not notice damage: a copy of damaged bytes matches them.
  if (const auto damaged = damaged_tables(db); !damaged.empty())
    throw Unavailable("no backup was made, since " + damaged.front().what + ": keep the backups there are, and see " +
                      "what `agentbox verify` finds");
  std::error_code error;
  fs::create_directories(to, error);
  if (!error) fs::permissions(to, fs::perms::owner_all, error);
  if (error) throw Unavailable("the backup to " + to.string() + " failed: " + error.message());
  rocks::BackupEngineOptions options(to.string());
  options.share_table_files = true;
  options.share_files_with_checksum = true;
  rocks::BackupEngine* opened = nullptr;
  auto status = rocks::BackupEngine::Open(options, rocks::Env::Default(), &opened);
  const std::unique_ptr<rocks::BackupEngine> engine(opened);
  if (status.ok()) {
    rocks::CreateBackupOptions how;
    how.flush_before_backup = true;
    rocks::BackupID id = 0;
    status = engine->CreateNewBackup(how, &db, &id);
    if (status.ok()) status = engine->VerifyBackup(id, true);
  }
  if (!status.ok()) throw Unavailable("the backup to " + to.string() + " failed: " + status.ToString());
}

void make_checkpoint(rocks::DB& db, const fs::path& to) {
  rocks::Checkpoint* made = nullptr;
  auto status = rocks::Checkpoint::Create(&db, &made);
  const std::unique_ptr<rocks::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(to.string());
  if (!status.ok()) throw Unavailable("the store cannot be copied to " + to.string() + ": " + status.ToString());
  const auto is_log = [](const fs::directory_entry& entry) { return entry.path().extension() == ".log"; };
  if (std::none_of(fs::directory_iterator(to), fs::directory_iterator(), is_log)) StoreFolder::note_restored(to);
}

void restore_backup(const fs::path& from, const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_empty(folder))
    throw Unavailable(folder.string() + " is not empty: restore into a folder that holds nothing yet");
  if (!fs::is_directory(from / "meta")) throw Unavailable("there is no backup in " + from.string());
  rocks::BackupEngineReadOnly* opened = nullptr;
  auto status =
      rocks::BackupEngineReadOnly::Open(rocks::BackupEngineOptions(from.string()), rocks::Env::Default(), &opened);
  const std::unique_ptr<rocks::BackupEngineReadOnly> engine(opened);
  // Restored beside its place and moved there when it is whole, so that a restore that was cut off leaves nothing
  // behind that looks like a store.
  const fs::path beside = fs::path(folder).concat(".restoring");
  std::vector<rocks::BackupInfo> backups;
  if (status.ok()) {
    engine->GetBackupInfo(&backups);
    if (backups.empty()) throw Unavailable("there is no backup in " + from.string());
    status = engine->VerifyBackup(backups.back().backup_id, true);
  }
  try {
    if (status.ok()) {
      fs::remove_all(beside);
      fs::create_directories(beside);
      status = engine->RestoreDBFromBackup(backups.back().backup_id, beside.string(), beside.string());
      StoreFolder::note_restored(beside);
    }
    if (status.ok()) {
      fs::remove(folder);
      fs::rename(beside, folder);
      sync_path(fs::absolute(folder).parent_path());
    }
  } catch (const fs::filesystem_error& error) {
    throw Unavailable("the backup in " + from.string() + " cannot be restored: " + error.what());
  }
  if (!status.ok()) throw Unavailable("the backup in " + from.string() + " cannot be restored: " + status.ToString());
}

std::vector<Damage> damaged_tables(rocks::DB& db) {
  std::vector<Damage> found;
  std::vector<rocks::LiveFileMetaData> files;
  db.GetLiveFilesMetaData(&files);
  const auto options = db.GetOptions();
  for (const auto& file : files) {
    rocks::SstFileReader reader(options);
    auto status = reader.Open(file.db_path + file.name);
    if (status.ok()) status = reader.VerifyChecksum();
    // Compaction may have replaced and deleted the file meanwhile.
    if (!status.ok() && !status.IsPathNotFound() && !status.IsNotFound())
      found.push_back({"a table file of " + file.column_family_name + " is damaged: " + status.ToString(), file.name});
  }
  return found;
}

}  // namespace store
