// The folder of a store around RocksDB: locked to one process, created completely or not at all, its logs checked
// before they are replayed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/rocks/folder_lock.h"

namespace store {

// Held as long as the store is open.
class StoreFolder {
 public:
  enum class Access { write, read_only };
  // Takes the folder for this process. With write access: creates it when it is missing, removes a store whose
  // creation was cut off, and cuts the logs where writes are missing that were not reported as durable. Throws
  // Unavailable, with what to do, when the folder is in use, cannot be written to, or when its files are damaged or
  // incomplete.
  StoreFolder(const std::filesystem::path&, Access);

  bool is_new() const { return is_new_; }
  // A sentence for each log that is not whole.
  const std::vector<std::string>& torn() const { return torn_; }
  // A new store is created between these two, without any sync; after the second one all of it is on disk. If creation
  // is cut off, the next start removes it. Throw Unavailable.
  void begin_creation();
  void finish_creation();
  // Marks the folder of a store that was restored without a log. Throws Unavailable.
  static void note_restored(const std::filesystem::path&);
  // Called when the store is open and has a log of its own.
  void finish_restoring() const;

 private:
  void remove_incomplete() const;
  void refuse_incomplete() const;
  void refuse_without_log() const;

  const std::filesystem::path path_;
  const FolderLock lock_;
  std::vector<std::string> torn_;
  bool is_new_ = false;
};

// Makes the contents of a file, or the entries of a folder, durable. Throws Unavailable.
void sync_path(const std::filesystem::path&);

// The logs of a folder that are damaged. May be called while the store is open.
std::vector<Damage> damaged_logs(const std::filesystem::path& folder);

}  // namespace store
