// Flushes and compactions in small pieces, so that on few processors nobody who is about to be answered waits for one.
#pragma once

#include <rocksdb/table_properties.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace store {

// How much has been written to the store, in bytes: whoever flushes compares. Callable from every thread.
class WritePressure {
 public:
  void wrote(std::uint64_t bytes) { written_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  // From now on nothing is done in small pieces: somebody waits for the end of it.
  void hurry() { hurries_ = true; }
  bool hurries() const { return hurries_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> written_ = 0;
  std::atomic<bool> hurries_ = false;
};

// For ColumnFamilyOptions::table_properties_collector_factories: RocksDB tells a collector of every key that it writes
// into a table, on the thread that does. Ours collects nothing. It lets the thread rest as long as it has worked, a
// fraction of a millisecond each, unless more than `patience` is written meanwhile, so that it cannot fall behind.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> paced_tables(std::shared_ptr<const WritePressure>,
                                                                       std::uint64_t patience);

}  // namespace store
