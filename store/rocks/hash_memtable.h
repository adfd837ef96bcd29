// A memtable for RocksDB, for families that are looked up by their whole key and written again and again, as counters
// are: a hash table of keys, with the versions of each from newest to oldest.
//
// RocksDB's own is one ordered list of all versions of all keys, and finding a place in it takes some fifteen steps of
// virtual comparisons (twice that where it was built with its assertions, as Debian's is). Here a write and a look-up
// take one hash and one comparison. A scan sorts the keys first, as a flush does; so it is for families that are hardly
// ever scanned.
#pragma once

#include <rocksdb/memtablerep.h>

#include <memory>

namespace store {

// For one writer at a time (DBOptions::allow_concurrent_memtable_write must be off) and any number of readers.
std::shared_ptr<rocksdb::MemTableRepFactory> hash_memtable_factory();

}  // namespace store
