// The file system that RocksDB works on.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/rocks/wal_preallocation.h"

namespace store {

// Skips every sync while a new store is created: RocksDB would sync several times for each column family. Nothing is
// acknowledged before all of the store was synced at once (StoreFolder::finish_creation); from then on it syncs.
//
// Preallocates logs (WalPreallocation) and reports their sizes without the preallocated part: a backup copies a log
// that is in use up to that size.
//
// Deletes logs oldest first: RocksDB deletes the newest obsolete log first, and a crash in between would leave an old
// log with a gap after it, as if writes were missing. Logs that are kept for a standby move to their archive likewise.
class StoreFiles final : public rocksdb::FileSystemWrapper {
 public:
  explicit StoreFiles(bool is_new)
      : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()), syncs_(make(!is_new)) {}
  static const char* kClassName() { return "agentbox.store"; }
  const char* Name() const override { return kClassName(); }
  void sync_from_now_on() { *syncs_ = true; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions&,
                                    std::unique_ptr<rocksdb::FSWritableFile>*, rocksdb::IODebugContext*) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions&,
                                 std::unique_ptr<rocksdb::FSDirectory>*, rocksdb::IODebugContext*) override;
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions&, std::uint64_t* size,
                                rocksdb::IODebugContext*) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions&,
                               rocksdb::IODebugContext*) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions&, rocksdb::IODebugContext*) override;

 private:
  using Switch = std::shared_ptr<std::atomic<bool>>;  // files may outlive this object
  static Switch make(bool on) { return std::make_shared<std::atomic<bool>>(on); }
  struct File;
  struct Log;
  struct Directory;

  // The logs in the folder of this one that are older, oldest first; nothing for other files.
  std::vector<std::string> older_logs(const std::string& log, const rocksdb::IOOptions&, rocksdb::IODebugContext*);
  std::shared_ptr<WalPreallocation> preallocation_of(const std::string& new_log);

  const Switch syncs_;
  const std::shared_ptr<LogFiller> filler_ = std::make_shared<LogFiller>();  // likewise

  std::mutex mutex_;                                                       // protects preallocations_
  std::map<std::string, std::weak_ptr<WalPreallocation>> preallocations_;  // by their logs' names
};

}  // namespace store
