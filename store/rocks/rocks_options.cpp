#include "store/rocks/rocks_options.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "store/rocks/hash_memtable.h"
#include "store/rocks/info_log.h"

namespace store {
namespace {

namespace rocks = rocksdb;

constexpr std::size_t cache_bytes = 8u << 20, write_buffers_bytes = 8u << 20, log_bytes = 24u << 20;

// How RocksDB treats a family.
struct Tuning {
  bool has_hash_memtable = false;  // keys are written again and again, and hardly ever scanned
  bool is_cached = true;           // else hardly ever read
  // Each owner's rows are written in their order, those of all owners mixed: each finds its place in the memtable by
  // the last one of its owner.
  bool is_in_order_of_owners = false;
};

Tuning tuning_of(Access access) {
  switch (access) {
    case Access::general:
      return {};
    case Access::by_key:
    case Access::counted:
      return {.has_hash_memtable = true};
    case Access::by_history:
      return {.is_cached = false, .is_in_order_of_owners = true};
    case Access::transient:
      return {.has_hash_memtable = true, .is_cached = false};
  }
  return {};
}

rocks::BlockBasedTableOptions table_options(const Tuning& tuning, const SharedMemory& memory) {
  rocks::BlockBasedTableOptions table;
  if (tuning.is_cached) {
    table.block_cache = memory.cache;
  } else {
    // Each new file is read once to check it, which would evict what others look up.
    table.no_block_cache = true;
    table.block_size = 16u << 10;  // compressing takes as much memory for small ones
  }
  table.filter_policy.reset(rocks::NewBloomFilterPolicy(10));
  table.optimize_filters_for_memory = true;
  table.format_version = 5;
  table.data_block_index_type = rocks::BlockBasedTableOptions::kDataBlockBinaryAndHash;  // most reads are of one key
  return table;
}

}  // namespace

SharedMemory::SharedMemory()
    : cache(rocks::NewLRUCache(cache_bytes, 2)),
      write_buffers(std::make_shared<rocks::WriteBufferManager>(write_buffers_bytes, nullptr)) {}

rocks::DBOptions database_options(bool read_only, const SharedMemory& memory,
                                  const std::shared_ptr<FailStop>& fail_stop) {
  rocks::DBOptions options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  options.max_bgerror_resume_count = 0;
  // A torn end was cut off before, and a damaged log refused (StoreFolder): RocksDB alone would skip a block that
  // begins with zeros.
  options.wal_recovery_mode = rocks::WALRecoveryMode::kAbsoluteConsistency;
  options.avoid_flush_during_recovery = true;
  options.max_total_wal_size = log_bytes;
  options.write_buffer_manager = memory.write_buffers;
  options.listeners = {fail_stop};
  options.max_background_jobs = 2;
  options.writable_file_max_buffer_size = 256u << 10;
  options.allow_concurrent_memtable_write = false;  // there is one writer, and hash memtables allow no more
  options.max_open_files = 512;
  options.max_file_opening_threads = 1;
  options.skip_stats_update_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.info_log = std::make_shared<InfoLog>();
  // A torn end stays where it is.
  if (read_only) options.wal_recovery_mode = rocks::WALRecoveryMode::kPointInTimeRecovery;
  return options;
}

rocks::ColumnFamilyOptions family_options(Access access, const SharedMemory& memory) {
  const auto tuning = tuning_of(access);
  rocks::ColumnFamilyOptions options;
  options.table_factory.reset(rocks::NewBlockBasedTableFactory(table_options(tuning, memory)));
  options.compression = rocks::kLZ4Compression;
  options.write_buffer_size = 8u << 20;
  options.arena_block_size = 64u << 10;
  options.paranoid_file_checks = true;
  options.force_consistency_checks = true;
  options.table_properties_collector_factories = {throttled_tables(memory.pressure, write_buffers_bytes / 4)};
  // Small memtables make small files, of which more are merged at a time.
  if (tuning.has_hash_memtable || !tuning.is_cached) options.level0_file_num_compaction_trigger = 8;
  if (tuning.has_hash_memtable) options.memtable_factory = hash_memtable_factory();
  if (tuning.is_in_order_of_owners)
    options.memtable_insert_with_hint_prefix_extractor.reset(rocks::NewFixedPrefixTransform(sizeof(std::int64_t)));
  return options;
}

}  // namespace store
