// RocksDB's files as the store wants them.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "store/rocks/wal_preallocation.h"

namespace store {

// Leaves out every sync while a new store is made: RocksDB would sync several times for each column family. Nothing is
// acknowledged from such a store before everything of it was synced at once (StoreFolder::finish_making), and from then
// on it syncs.
//
// Has room made for what is appended to logs (WalPreallocation), and tells their sizes without it: a backup copies a
// log that is written to meanwhile as far as that.
//
// Deletes logs oldest first: RocksDB deletes the newest of those it no longer needs first, and the end of the process
// in between would leave an old log and a gap behind it, as if writes were missing there.
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
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions&, rocksdb::IODebugContext*) override;

 private:
  using Switch = std::shared_ptr<std::atomic<bool>>;  // the files that it is for may outlive this
  static Switch make(bool on) { return std::make_shared<std::atomic<bool>>(on); }
  struct File;
  struct Log;
  struct Directory;

  std::shared_ptr<WalPreallocation> space_of(const std::string& new_log);

  const Switch syncs_;
  const std::shared_ptr<LogFiller> filler_ = std::make_shared<LogFiller>();  // likewise

  std::mutex mutex_;                                               // protects spaces_
  std::map<std::string, std::weak_ptr<WalPreallocation>> spaces_;  // by their logs' names
};

}  // namespace store
