// An open RocksDB database: its folder, its families and its file system, closed in their order.
#pragma once

#include <rocksdb/db.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/rocks/fail_stop.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/store_folder.h"

namespace store {

class Database {
 public:
  // Throws Unavailable. `memory` must outlive it.
  Database(const EngineOptions&, const SharedMemory& memory, std::shared_ptr<FailStop>);
  // Flushes, so that the next start replays nothing, unless a write has failed.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Family family) const { return handles_.at(family); }
  // All on disk, also those that were not named.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return handles_; }
  // Their numbers in the log, by their names.
  std::map<std::string, std::uint32_t> family_numbers() const;
  // A sentence for each log that is not whole.
  const std::vector<std::string>& torn() const { return folder_.torn(); }

 private:
  // The families on disk, which RocksDB needs to be opened with, and those of the options that are not there yet.
  struct Descriptors {
    std::vector<rocksdb::ColumnFamilyDescriptor> existing, missing;
  };
  Descriptors descriptors(const EngineOptions&, const rocksdb::DBOptions&) const;
  void close();
  rocksdb::Status open(const rocksdb::DBOptions&, const Descriptors&, const std::vector<FamilySpec>& wanted);

  StoreFolder folder_;
  const std::string where_;
  const bool read_only_;
  const SharedMemory& memory_;
  const std::shared_ptr<FailStop> fail_stop_;
  std::unique_ptr<rocksdb::Env> files_;  // of a store that is written to; outlives db_
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // by Family, then those on disk that were not named
};

}  // namespace store
