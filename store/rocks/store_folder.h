// The folder of an embedded store, before and beside RocksDB: one process at a time, made whole or not at all, its logs
// looked through before they are replayed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/rocks/folder_lock.h"

namespace store {

struct Damage {
  std::string what;   // a sentence
  std::string where;  // the file
};

// Held as long as the store is open.
class StoreFolder {
 public:
  enum class Access { write, read_only };
  // Takes the folder for this process. With write access: makes it when it is missing, clears away a store whose making
  // was cut off, and cuts the log where writes are missing that nobody was told are durable. Throws Unavailable, with
  // what to do, when the folder is in use, cannot be written to, or when its files are damaged or incomplete.
  StoreFolder(const std::filesystem::path&, Access);

  bool is_new() const { return is_new_; }
  // Of each log that is not whole, a sentence that says so.
  const std::vector<std::string>& torn() const { return torn_; }
  // A new store is made between these two, without any sync; after the second it is on disk whole. Cut off in between,
  // it is cleared away at the next start. Throw Unavailable.
  void begin_making();
  void finish_making();
  // Marks the folder of a store that was restored without a log. Throws Unavailable.
  static void note_restored(const std::filesystem::path&);
  // Called when the store is open and has a log of its own.
  void finish_restoring() const;

 private:
  void clear_half_made() const;
  void refuse_incomplete() const;
  void refuse_without_log() const;

  const std::filesystem::path path_;
  const FolderLock lock_;
  std::vector<std::string> torn_;
  bool is_new_ = false;
};

// Makes what was written to a file, or the entries of a folder, durable. Throws Unavailable.
void sync_path(const std::filesystem::path&);

// The logs of a folder whose acknowledged writes are not as written. May be called while the store is open.
std::vector<Damage> damaged_logs(const std::filesystem::path& folder);

}  // namespace store
