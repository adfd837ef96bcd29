// Splits the work of flushes and compactions into short pieces with rests in between, so that on few processors
// requests do not wait for them.
#pragma once

#include <rocksdb/table_properties.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace store {

// Bytes written to the store so far: flushes compare it with what it was when they began. Callable from every thread.
class WritePressure {
 public:
  void wrote(std::uint64_t bytes) { written_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  // From now on nothing rests: the store is being closed.
  void hurry() { hurries_ = true; }
  bool hurries() const { return hurries_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> written_ = 0;
  std::atomic<bool> hurries_ = false;
};

// For ColumnFamilyOptions::table_properties_collector_factories: RocksDB calls a collector for every key that it writes
// into a table, on the writing thread. Ours collects nothing. It lets the thread rest as long as it has worked, a
// fraction of a millisecond each, unless more than `max_behind` bytes are written meanwhile, so that flushes keep up.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> throttled_tables(std::shared_ptr<const WritePressure>,
                                                                           std::uint64_t max_behind);

}  // namespace store
