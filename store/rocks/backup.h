// Backups of a RocksDB database, and the check of its table files.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <vector>

#include "store/engine.h"

namespace store {

// Adds a backup to `to`, sharing unchanged files with those before; none while table files are damaged. Throws
// Unavailable with the cause.
void make_backup(rocksdb::DB&, const std::filesystem::path& to);
// The newest backup of `from` into `folder`, which must be empty or missing. Throws Unavailable.
void restore_backup(const std::filesystem::path& from, const std::filesystem::path& folder);
// Makes `to`, which must not exist, a copy of the newest state, with hard links to files that do not change. Throws
// Unavailable with the cause.
void make_checkpoint(rocksdb::DB&, const std::filesystem::path& to);
// Reads every live table file against its checksums.
std::vector<Damage> damaged_tables(rocksdb::DB&);

}  // namespace store
