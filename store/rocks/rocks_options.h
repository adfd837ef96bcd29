// RocksDB's settings: of the database, and of a family by its Access.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/write_buffer_manager.h>

#include <memory>

#include "store/engine.h"
#include "store/rocks/compaction_throttle.h"
#include "store/rocks/fail_stop.h"

namespace store {

// What all families of a store share.
struct SharedMemory {
  std::shared_ptr<rocksdb::Cache> cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;
  std::shared_ptr<WritePressure> pressure = std::make_shared<WritePressure>();

  SharedMemory();
};

rocksdb::DBOptions database_options(bool read_only, const SharedMemory&, const std::shared_ptr<FailStop>&);
rocksdb::ColumnFamilyOptions family_options(Access, const SharedMemory&);

}  // namespace store
