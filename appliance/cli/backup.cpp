// A backup is a folder with the parts of the data folder: store/ as RocksDB's incremental backup, agents/ as a copy of
// the agents' workspaces, agentbox.toml, and master.key unless it is kept apart.
#include <iostream>
#include <set>

#include "appliance/cli/box_client.h"
#include "appliance/cli/commands.h"
#include "appliance/data_folder.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

// Makes `to` hold what `from` holds: files that are unchanged (size and time) are not copied again, files that are gone
// are removed. Links are copied as links; sockets and pipes are left out.
void mirror(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  std::set<fs::path> present;
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path name = entry.path().filename(), target = to / name;
    const auto status = entry.symlink_status();
    if (fs::is_directory(status)) {
      mirror(entry.path(), target);
    } else if (fs::is_symlink(status)) {
      fs::remove(target);
      fs::copy_symlink(entry.path(), target);
    } else if (fs::is_regular_file(status)) {
      const bool same = fs::is_regular_file(fs::symlink_status(target)) && fs::file_size(target) == entry.file_size() &&
                        fs::last_write_time(target) == entry.last_write_time();
      if (!same) {
        fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
        fs::last_write_time(target, entry.last_write_time());
      }
    } else {
      continue;
    }
    present.insert(name);
  }
  for (const auto& entry : fs::directory_iterator(to))
    if (!present.contains(entry.path().filename())) fs::remove_all(entry.path());
}

void copy_private(const fs::path& from, const fs::path& to) {
  if (!fs::exists(from)) return;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write);
}

void require_folder(const DataFolder& folder) {
  if (!fs::exists(folder.store()))
    throw UsageError("there is no box in " + folder.path().string() + ": name its data folder with --data");
}

}  // namespace

int backup(const Settings& settings, const BackupOptions& options) {
  const DataFolder folder(settings.data);
  require_folder(folder);
  const DataFolder copy(fs::absolute(options.to).lexically_normal());
  copy.prepare();
  try {
    const BoxClient box(settings);
    if (box.is_running()) {
      box.call("POST", "/api/admin/backup", boost::json::object{{"to", copy.store().string()}}, std::chrono::hours(1));
    } else {
      open_store(settings)->backup(copy.store());
    }
    if (fs::exists(folder.agents())) mirror(folder.agents(), copy.agents());
    copy_private(folder.config_file(), copy.config_file());
    if (options.with_key) copy_private(folder.key_file(), copy.key_file());
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the backup failed: ") + error.what());
  }
  std::cout << "backed up to " << copy.path().string() << '\n';
  if (!options.with_key) std::cout << "without master.key: keep it elsewhere, the backup cannot be opened without it\n";
  return 0;
}

int restore(const fs::path& from, const Settings& settings) {
  const DataFolder source(from), folder(settings.data);
  if (!fs::exists(source.store())) throw UsageError("there is no backup in " + from.string());
  if (fs::exists(folder.store())) {
    throw UsageError(folder.path().string() + " already holds a box: restore into another folder with --data");
  }
  folder.prepare();
  try {
    copy_private(source.config_file(), folder.config_file());
    copy_private(source.key_file(), folder.key_file());
    if (fs::exists(source.agents())) mirror(source.agents(), folder.agents());
    store::Store::restore(source.store(), folder.store());
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the restore failed: ") + error.what());
  }
  std::cout << "restored to " << folder.path().string() << '\n';
  if (!fs::exists(folder.key_file()))
    std::cout << "the backup has no master.key: put it there, or set AGENTBOX_MASTER_KEY, before serving\n";
  return 0;
}

int verify(const Settings& settings) {
  require_folder(DataFolder(settings.data));
  const auto findings = open_store(settings, Access::read_only)->verify();
  for (const auto& finding : findings) std::cout << finding.where << ": " << finding.what << '\n';
  if (findings.empty()) std::cout << "all files, records and indexes are sound\n";
  return findings.empty() ? 0 : 1;
}

}  // namespace agentbox::cli
