#include "appliance/box/maintenance/backups.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

#include "appliance/box/maintenance/backup_draft.h"
#include "appliance/box/maintenance/backup_folder.h"
#include "appliance/box/maintenance/backup_manifest.h"
#include "appliance/box/maintenance/exchange_folder.h"
#include "appliance/box/maintenance/restore_drill.h"
#include "appliance/box/packing/box_pack.h"
#include "appliance/foundation/beneath.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"
#include "web/log.h"

namespace maintenance {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view scratch_prefix = ".verify-", pack_ending = ".agentbox";
constexpr auto name_form = "%Y%m%dT%H%M%SZ";

std::string name_of(store::Time at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), name_form, &parts);
  return text.data();
}

std::optional<store::Time> time_of(const std::string& name) {
  std::tm parts{};
  const char* const end = strptime(name.c_str(), name_form, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return store::Time(std::chrono::seconds(timegm(&parts)));
}

// Of what is there while it is counted: a backup in progress changes.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code gone;
    const auto size = !entry->is_symlink(gone) && entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

MadeBackup described(const fs::path& folder, store::Time made_at) {
  return {.name = folder.filename().string(),
          .made_at = made_at,
          .bytes = bytes_in(folder),
          .is_complete = is_complete_backup(folder)};
}

// Ends with the scope.
class InProgress {
 public:
  explicit InProgress(std::atomic<bool>& flag) : flag_(flag) {}
  ~InProgress() { flag_ = false; }
  InProgress(const InProgress&) = delete;
  InProgress& operator=(const InProgress&) = delete;

 private:
  std::atomic<bool>& flag_;
};

web::Error in_progress() { return web::conflict("A backup is being made already: ask again when it is done."); }

// A folder that is removed at the end.
class ScratchFolder {
 public:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

}  // namespace

Backups::Backups(store::Store& store, const agentbox::Platform& platform)
    : store_(store),
      platform_(platform),
      folder_(platform.folder.path() / "backups"),
      key_fingerprint_(agentbox::key_fingerprint(platform.master_key)),
      disk_(platform.folder.path(), platform.settings.disk_reserve) {
  // Of commands that were killed, and of a box that was.
  std::error_code ignored;
  fs::remove_all(exchange_folder(platform.folder), ignored);
  for (fs::directory_iterator entry(folder_, ignored), end; !ignored && entry != end; entry.increment(ignored))
    if (entry->path().filename().string().starts_with(scratch_prefix)) fs::remove_all(entry->path(), ignored);
}

web::Result<void> Backups::check(const fs::path& to, const std::optional<std::string>& key_fingerprint) const {
  if (!to.is_absolute()) return web::invalid("to must be an absolute path on the box");
  try {
    const bool is_exchange = agentbox::is_beneath(to, exchange_folder(platform_.folder));
    if (!is_exchange && agentbox::is_beneath(to, platform_.folder.path()))
      return web::invalid("to must be a folder outside of the data folder");
    // A folder that has become a backup is the box's alone.
    if (fs::exists(to) && !fs::is_directory(to)) return web::invalid("to is there already, and is not a folder");
    if (fs::exists(to) && !fs::is_empty(to) && !fs::is_directory(to / "meta"))
      return web::invalid("to has other files: name a new or an empty folder, or one that holds a backup");
  } catch (const fs::filesystem_error& error) {
    return web::invalid("to is a folder that the box may not look into: " + error.code().message());
  }
  if (key_fingerprint && *key_fingerprint != key_fingerprint_)
    return web::conflict("the master key is not the one the box runs with: use its master.key or AGENTBOX_MASTER_KEY");
  // The tables that it has are not copied again.
  const auto all = bytes_in(platform_.folder.store()), present = bytes_in(to / "shared_checksum");
  return disk_.admit_at(to, all - std::min(all, present));
}

web::Task<web::Result<std::optional<std::string>>> Backups::make(fs::path to) {
  if (is_in_progress_.exchange(true)) co_return in_progress();
  auto copy = [this, to = std::move(to)]() -> std::optional<std::string> {
    const InProgress until_done(is_in_progress_);
    try {
      store_.backup(to);
    } catch (const std::exception& error) {
      return error.what();
    }
    return std::nullopt;
  };
  co_return co_await web::offload(platform_.backups, std::move(copy));
}

std::optional<fs::path> Backups::find(const std::string& name) const {
  if (!time_of(name) || !fs::is_directory(folder_ / name)) return std::nullopt;
  return folder_ / name;
}

std::vector<MadeBackup> Backups::list() const {
  std::vector<MadeBackup> made;
  if (!fs::exists(folder_)) return made;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (const auto at = time_of(entry.path().filename().string()); at && entry.is_directory())
      made.push_back(described(entry.path(), *at));
  std::ranges::sort(made, std::ranges::greater(), &MadeBackup::made_at);
  return made;
}

MadeBackup Backups::copy_all(const std::string& name) const {
  agentbox::DataFolder(folder_).prepare("folder of the backups", "--data");
  const agentbox::DataFolder copy(folder_ / name);
  copy.prepare("folder of the backup", "--data");
  BackupDraft draft(copy);
  store_.backup(draft.folder().store());
  const auto left_out = copy_all_but_store(platform_.folder, draft, platform_.master_key);
  draft.complete(platform_.master_key);
  for (const auto& [workspace, what] : left_out)
    for (const auto& one : what)
      web::log::warning("left_out_of_backup", {{"workspace", workspace.string()}, {"what", one}});
  return described(copy.path(), time_of(name).value_or(store::now()));
}

web::Task<web::Result<MadeBackup>> Backups::make_whole() {
  if (is_in_progress_.exchange(true)) co_return in_progress();
  auto copy = [this]() -> web::Result<MadeBackup> {
    const InProgress until_done(is_in_progress_);
    if (const auto room = disk_.admit(bytes_in(platform_.folder.store()) + bytes_in(platform_.folder.agents())); !room)
      return room.error();
    auto at = store::now();
    while (fs::exists(folder_ / name_of(at))) at += std::chrono::seconds(1);
    const auto name = name_of(at);
    try {
      return copy_all(name);
    } catch (const std::exception& error) {
      std::error_code ignored;
      fs::remove_all(folder_ / name, ignored);
      return web::internal(std::string("The backup failed: ") + error.what());
    }
  };
  co_return co_await web::offload(platform_.backups, std::move(copy));
}

web::Result<Verification> Backups::restore_and_check(const std::string& name, const store::Census* census) const {
  const auto found = find(name);
  if (!found) return web::not_found("No such backup");
  if (!is_complete_backup(*found)) return web::conflict("This backup is not complete");
  if (const auto room = disk_.admit(bytes_in(*found / "store")); !room) return room.error();
  try {
    const agentbox::DataFolder backup(*found);
    finish_backup(backup);
    if (!check_manifest(backup, platform_.master_key)) web::log::info("backup_without_manifest", {{"name", name}});
    const ScratchFolder scratch(folder_ / (std::string(scratch_prefix) + crypto::random_hex(8)));
    store::Store::restore(*found / "store", agentbox::DataFolder(scratch.path()).store());
    return Verification{check_restored(platform_, scratch.path(), census)};
  } catch (const std::exception& error) {
    return web::internal(std::string("The backup cannot be restored: ") + error.what());
  }
}

web::Task<web::Result<Verification>> Backups::verify(std::string name) {
  auto check = [this, name = std::move(name)] { return restore_and_check(name, nullptr); };
  co_return co_await web::offload(platform_.backups, std::move(check));
}

web::Task<web::Result<Verification>> Backups::drill(std::string name, store::Census census) {
  auto check = [this, name = std::move(name), census = std::move(census)] {
    web::Result<Verification> checked = web::internal("The restore drill did not run.");
    // On a thread of its own: one that is nice stays so.
    std::thread([&] {
      yield_to_others();
      checked = restore_and_check(name, &census);
    }).join();
    return checked;
  };
  co_return co_await web::offload(platform_.backups, std::move(check));
}

fs::path Backups::packs() const { return exchange_folder(platform_.folder) / "packs"; }

web::Result<PackedBackup> Backups::write_pack(const std::string& name) const {
  const auto found = find(name);
  if (!found) return web::not_found("No such backup");
  if (!is_complete_backup(*found)) return web::conflict("This backup is not complete");
  if (const auto room = disk_.admit(bytes_in(*found)); !room) return room.error();
  PackedBackup packed{.ticket = crypto::random_id(32)};
  const auto file = packs() / (packed.ticket + std::string(pack_ending));
  try {
    finish_backup(agentbox::DataFolder(*found));
    fs::remove_all(packs());
    agentbox::DataFolder(exchange_folder(platform_.folder)).prepare();
    agentbox::DataFolder(packs()).prepare();
    packing::write_box(*found, time_of(name).value_or(store::now()), file, platform_.master_key,
                       [](std::uint64_t, std::uint64_t) {});
    packed.bytes = fs::file_size(file);
    return packed;
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(packs(), ignored);
    return web::internal(std::string("The backup cannot be packed: ") + error.what());
  }
}

web::Task<web::Result<PackedBackup>> Backups::pack(std::string name) {
  auto write = [this, name = std::move(name)] { return write_pack(name); };
  co_return co_await web::offload(platform_.backups, std::move(write));
}

web::Result<fs::path> Backups::packed(const std::string& ticket) const {
  const bool is_plain = !ticket.empty() && std::ranges::all_of(ticket, web::is_alphanumeric);
  auto file = packs() / (ticket + std::string(pack_ending));
  std::error_code missing;
  if (!is_plain || !fs::is_regular_file(file, missing)) return web::not_found("No such file: it was fetched already");
  return file;
}

web::Task<web::Result<void>> Backups::remove(std::string name) {
  if (is_in_progress_.exchange(true)) co_return in_progress();
  auto erase = [this, name = std::move(name)]() -> web::Result<void> {
    const InProgress until_done(is_in_progress_);
    const auto found = find(name);
    if (!found) return web::not_found("No such backup");
    std::error_code failed;
    fs::remove(*found / sealed_settings_name, failed);  // not complete from here on
    fs::remove_all(*found, failed);
    if (failed) return web::internal("The backup cannot be removed: " + failed.message());
    return {};
  };
  co_return co_await web::offload(platform_.backups, std::move(erase));
}

}  // namespace maintenance
