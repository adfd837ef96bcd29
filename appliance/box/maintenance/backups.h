// Backups of the running box.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/disk_reserve.h"
#include "appliance/foundation/platform.h"
#include "store/census.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace maintenance {

struct MadeBackup {
  std::string name;  // when it was begun: 20261125T031500Z
  store::Time made_at;
  std::uintmax_t bytes = 0;
  bool is_complete = false;  // false: it is being made, or was cut off
};

struct PackedBackup {
  std::string ticket;  // opens its file, once
  std::uintmax_t bytes = 0;
};

struct Verification {
  std::vector<store::Store::Finding> findings;  // none: the backup is sound
};

// Callable from every thread; the arguments must outlive it.
class Backups {
 public:
  Backups(store::Store& store, const agentbox::Platform& platform);

  // Whether a backup of the store to `to` can start: invalid unless it is an absolute path outside of the data folder
  // or in its exchange folder, of nothing, an empty folder, or one with a backup, conflict unless `key_fingerprint`, if
  // given, is this store's, unavailable where it would reach the disk reserve.
  web::Result<void> check(const std::filesystem::path& to, const std::optional<std::string>& key_fingerprint) const;
  // After check(). Copies the store, incrementally if `to` holds a backup. Returns why the copy failed, or nothing.
  // conflict while another backup is in progress: two in one folder would remove each other's files.
  web::Task<web::Result<std::optional<std::string>>> make(std::filesystem::path to);

  // Whole backups in the data folder's own `backups`, as `agentbox backup` makes them, the latest first. Blocks.
  std::vector<MadeBackup> list() const;
  // conflict while another backup is in progress; unavailable where it would reach the disk reserve; internal with
  // the reason if it fails, and nothing of it stays.
  web::Task<web::Result<MadeBackup>> make_whole();
  // Restores the backup into a folder of its own, checks every file, record and index there, and removes it again.
  // not_found; conflict: it is not complete; unavailable without room for the copy; internal with the reason if it
  // cannot be restored.
  web::Task<web::Result<Verification>> verify(std::string name);
  // The same, and compares it with the box as it was when the backup was made. Leaves processor and disk to others.
  web::Task<web::Result<Verification>> drill(std::string name, store::Census);
  // not_found; conflict while a backup is in progress.
  web::Task<web::Result<void>> remove(std::string name);
  // The backup as one file that `agentbox unpack` opens with the master key, which is not in it. It takes the place of
  // one that was packed before, and is kept until it is opened or the box starts again. not_found; conflict: it is not
  // complete; unavailable without room for the file; internal with the reason if it cannot be written.
  web::Task<web::Result<PackedBackup>> pack(std::string name);
  // The folder and the name of the file; not_found. The caller removes the file as soon as it has opened it.
  web::Result<std::filesystem::path> packed(const std::string& ticket) const;

 private:
  std::optional<std::filesystem::path> find(const std::string& name) const;
  web::Result<Verification> restore_and_check(const std::string& name, const store::Census*) const;
  web::Result<PackedBackup> write_pack(const std::string& name) const;
  std::filesystem::path packs() const;
  MadeBackup copy_all(const std::string& name) const;

  store::Store& store_;
  const agentbox::Platform& platform_;
  const std::filesystem::path folder_;  // of the whole backups
  const std::string key_fingerprint_;
  const agentbox::DiskReserve disk_;
  std::atomic<bool> is_in_progress_{false};
};

}  // namespace maintenance
