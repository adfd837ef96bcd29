#include <iostream>

#include "appliance/box/cli/backup_copy.h"
#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/progress.h"
#include "appliance/box/cli/store_copy.h"
#include "appliance/box/cli/store_move.h"
#include "appliance/box/maintenance/backup_draft.h"
#include "appliance/box/maintenance/backup_folder.h"
#include "appliance/box/maintenance/backup_manifest.h"
#include "appliance/box/open_store.h"
#include "appliance/box/rollback.h"
#include "appliance/box/standby/bucket_restore.h"
#include "appliance/foundation/beneath.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/load.h"
#include "appliance/foundation/timestamp.h"
#include "appliance/media/bucket/objects.h"
#include "store/engine.h"
#include "web/routes/reply.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

void copy_store(const Settings& settings, const std::string& master_key, const fs::path& to,
                const std::string& acting_as) {
  const DataFolder folder(settings.data);
  const BoxClient box(settings, acting_as);
  if (box.is_running()) return copy_store_of(box, folder, master_key, to);
  auto known = settings;
  known.master_key = crypto::hex(master_key);  // its owner may not see where it comes from
  if (is_of_another_user(folder))
    copy_store_through(
        folder, [&](const fs::path& copy) { open_store(known)->backup(copy); }, to);
  else
    open_store(known)->backup(to);
}

// The key that an earlier backup there has stays, so that the folder goes on restoring by itself. Throws UsageError if
// the new backup would not open with it.
bool keeps_key(const DataFolder& copy, const std::string& master_key, const BackupOptions& options) {
  if (options.with_key) return true;
  const DataFolder ready(copy.path());
  if (!fs::exists(ready.key_file())) return false;
  if (read_own_key_file(ready.key_file()) != master_key)
    throw UsageError(ready.key_file().string() +
                     " is of an earlier backup --with-key, and the box has another master " +
                     "key now: add --with-key to replace it, or move it away");
  return true;
}

void print_left_out(const std::vector<maintenance::LeftOut>& left_out) {
  for (const auto& [workspace, what] : left_out)
    for (const auto& one : what) std::cout << "left out of " << workspace.string() << ": " << one << '\n';
}

std::optional<FoundKey> given_key(const RestoreOptions& options, const Settings& settings) {
  if (options.key_file) return FoundKey{.key = read_key_file(*options.key_file)};
  if (settings.master_key.empty()) return std::nullopt;
  return FoundKey{.key = crypto::unhex(settings.master_key), .belongs_in_file = false};
}

FoundKey find_key(const DataFolder& source, const RestoreOptions& options, const Settings& settings) {
  if (auto given = given_key(options, settings)) return std::move(*given);
  if (fs::exists(source.key_file())) return {.key = read_own_key_file(source.key_file())};
  throw UsageError("the backup in " + source.path().string() +
                   " does not hold its master key: name the box's master.key with --key, or set AGENTBOX_MASTER_KEY");
}

}  // namespace

bool back_up_to(const DataFolder& copy, const Settings& settings, const BackupOptions& options) {
  const DataFolder folder(settings.data);
  folder.require_box();
  const std::string master_key = folder.master_key(settings);
  copy.prepare("folder of the backup", "--to");
  copy.require_trusted("--to");
  try {
    maintenance::BackupDraft draft(copy);
    const bool has_key = keeps_key(copy, master_key, options);
    try {
      const Progress progress("copying");
      copy_store(settings, master_key, draft.folder().store(), options.acting_as);
      const auto left_out = maintenance::copy_all_but_store(folder, draft, master_key);
      if (has_key) write_key_file(draft.folder().key_file(), master_key);
      draft.complete(master_key);
      print_left_out(left_out);
    } catch (...) {
      draft.discard();
      throw;
    }
    return has_key;
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the backup failed: ") + error.what());
  }
}

int backup(const Settings& settings, const BackupOptions& options) {
  const DataFolder folder(settings.data);
  folder.require_box();
  const DataFolder copy(fs::absolute(options.to).lexically_normal());
  if (fs::exists(copy.store() / "CURRENT"))
    throw UsageError(copy.path().string() + " holds a box, not a backup: name another folder with --to");
  if (is_beneath(copy.path(), folder.path()))
    throw UsageError(copy.path().string() + " is inside the data folder " + folder.path().string() +
                     ": name a folder outside of it with --to, best on another disk");
  const bool has_key = back_up_to(copy, settings, options);
  std::cout << "backed up to " << copy.path().string() << '\n'
            << (has_key
                    ? std::string("with master.key") + (options.with_key ? "" : ", which an earlier backup put there") +
                          ": this folder gives access to every secret of the box, protect it like the box"
                    : "without master.key: keep a copy of it elsewhere, the backup cannot be restored without it")
            << '\n';
  return 0;
}

void restore_from(const DataFolder& source, const DataFolder& folder, const FoundKey& found) {
  const auto config = maintenance::read_sealed_settings(source, found.key);
  folder.prepare();
  try {
    const Progress progress("restoring");
    if (found.belongs_in_file) write_key_file(folder.key_file(), found.key);
    if (!config.empty()) write_private_file(folder.config_file(), config);
    if (fs::exists(source.agents())) print_left_out(maintenance::copy_workspaces(source, folder));
    maintenance::copy_skills(source, folder);
    maintenance::copy_schema_note(source, folder);
    maintenance::sync(folder.path());
    store::Store::restore(source.store(), folder.store());  // last: a folder with a store is complete
  } catch (const fs::filesystem_error& error) {
    throw UsageError(std::string("the restore failed: ") + error.what());
  }
}

namespace {

constexpr std::string_view bucket_scheme = "s3://";

// STANDBY_S3_*, with the bucket and the folder that the URL names.
bucket::Objects::Place place_in(const std::string& url, const Settings& settings) {
  auto place = bucket::standby_bucket(settings).place;
  const auto rest = url.substr(bucket_scheme.size());
  const auto slash = rest.find('/');
  place.bucket = rest.substr(0, slash);
  place.folder = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
  while (place.folder.ends_with('/')) place.folder.pop_back();
  if (place.bucket.empty() || place.folder.empty())
    throw UsageError("--from must name a bucket and the folder of the box in it: s3://BUCKET/FOLDER");
  if (place.key.id.empty() || place.key.secret.empty())
    throw UsageError("set STANDBY_S3_ACCESS_KEY_ID and STANDBY_S3_SECRET_ACCESS_KEY to read the bucket");
  if (place.endpoint.empty()) place.endpoint = "https://s3." + place.key.region + ".amazonaws.com";
  return place;
}

bool names_server(const DataFolder& folder) {
  const auto none = [](const std::string&) { return std::optional<std::string>(); };
  try {
    return !resolve_settings({{"AGENTBOX_DATA", folder.path().string()}}, none, {}).store_url.empty();
  } catch (const UsageError&) {
    return false;  // serve says what is wrong with it
  }
}

int restore_from_bucket(const RestoreOptions& options, const Settings& settings) {
  const DataFolder folder(settings.data);
  if (fs::exists(folder.store()))
    throw UsageError(folder.path().string() + " already holds a box: restore into another folder with --data");
  standby::BucketWanted wanted;
  if (!options.at.empty()) {
    wanted.until = parse_timestamp(options.at);
    if (!wanted.until) throw UsageError("--at must be a time as 2026-01-31T12:00:00Z");
  }
  const auto found = given_key(options, settings);
  if (!found)
    throw UsageError(
        "a bucket does not hold the master key: name the box's master.key with --key, or set "
        "AGENTBOX_MASTER_KEY");
  bucket::Objects objects(place_in(options.from, settings));
  const RestoreOwner kept(folder);
  folder.prepare();
  standby::RestoredBucket restored;
  try {
    const Progress progress("restoring");
    restored = standby::restore_bucket(objects, standby::BucketSealer(found->key), folder, wanted);
  } catch (const standby::WrongKey& error) {
    throw UsageError(error.what());
  } catch (const store::Unavailable& error) {
    throw UsageError(error.what());
  }
  if (found->belongs_in_file) write_key_file(folder.key_file(), found->key);
  maintenance::sync(folder.path());
  std::cout << "restored to " << folder.path().string() << ": " << restored.position << " changes, the newest of "
            << web::iso8601(restored.at) << '\n';
  if (!found->belongs_in_file) std::cout << "the key stays in AGENTBOX_MASTER_KEY: set it for agentbox serve, too\n";
  return 0;
}

}  // namespace

int restore(const RestoreOptions& options, const Settings& settings) {
  if (options.from.starts_with(bucket_scheme)) return restore_from_bucket(options, settings);
  if (!options.at.empty())
    throw UsageError("--at is for a bucket, --from s3://...: a backup has the box as it was when it was made");
  const DataFolder source(options.from), folder(settings.data);
  maintenance::finish_backup(source);
  if (!fs::exists(source.store())) throw UsageError("there is no backup in " + source.path().string());
  if (fs::exists(folder.store()))
    throw UsageError(folder.path().string() + " already holds a box: restore into another folder with --data");
  const auto found = find_key(source, options, settings);
  maintenance::read_sealed_settings(source, found.key);
  bool is_checked = false;
  {
    const Progress progress("checking");
    is_checked = maintenance::check_manifest(source, found.key);
  }
  if (!is_checked)
    std::cout
        << "note: this backup has no manifest, as those of agentbox 0.1: workspaces and skills were not checked\n";
  const RestoreOwner kept(folder);
  restore_from(source, folder, found);
  if (!settings.store_url.empty()) {
    auto own = settings;
    own.data = folder.path();
    own.master_key = crypto::hex(found.key);
    fs::remove_all(move_to_server(own, settings.store_url));
  }
  std::cout << "restored to " << folder.path().string() << (settings.store_url.empty() ? "" : " and the database")
            << '\n';
  if (settings.store_url.empty() && names_server(folder))
    std::cout << "note: agentbox.toml names a PostgreSQL database, and the store is in the data folder: take store_url "
                 "out, or move the store there with `agentbox migrate-store`\n";
  if (!found.belongs_in_file) std::cout << "the key stays in AGENTBOX_MASTER_KEY: set it for agentbox serve, too\n";
  return 0;
}

int rollback(const Settings& settings, const Confirmation& confirmation) {
  const DataFolder folder(settings.data);
  const auto kept = kept_store(folder);
  if (kept)
    confirmation.require("Set aside everything that has changed since the upgrade of " + settings.data.string() +
                         " at " + kept->kept_at + "?");
  become_owner(folder);
  const auto aside = roll_back(folder);
  std::cout << "the store is as it was" << (kept ? " at " + kept->kept_at : "") << ", before the upgrade\n"
            << "what has changed since is in " << aside.string() << ": remove it when you no longer need it\n"
            << "Start the previous version of agentbox" << (kept && !kept->version.empty() ? ", " + kept->version : "")
            << "; this one would upgrade the store again\n";
  return 0;
}

int verify(const Settings& given) {
  const DataFolder folder(given.data);
  folder.require_box();
  auto settings = given;
  settings.master_key = crypto::hex(folder.master_key(given));  // its owner may not see where it comes from
  become_owner(folder);
  bool is_torn = false;
  const auto print_note = [&is_torn](const std::string& trouble) {
    is_torn = true;
    std::cout << "note: " << trouble << '\n';
  };
  const auto findings = [&] {
    const Progress progress("checking");
    return open_store(settings, Access::read_only, print_note)->verify();
  }();
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
