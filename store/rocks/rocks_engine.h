// The embedded engine: RocksDB behind the Engine contract. RocksDB's own types stay in the .cpp.
//
// Bytes on disk: one column family a family name. Keys and values of ordinary families are the caller's. In the family
// "counters" a value is the counter's figures (figures.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/rocks/store_folder.h"

namespace store {

struct EngineFigures {
  std::uint64_t commits = 0, groups = 0, conflicts = 0, queued = 0, last_group = 0;
  std::uint64_t memtable_bytes = 0, cache_bytes = 0, table_file_bytes = 0;
  double append_seconds = 0;  // spent appending and syncing, in total
};

class RocksEngine final : public Engine {
 public:
  // Families are numbered as they stand in `families`; those on disk that are not named stay untouched. Throws
  // Unavailable.
  static std::unique_ptr<RocksEngine> open(const std::filesystem::path& folder, std::vector<std::string> families,
                                           bool read_only, const Trouble& on_trouble = {});
  ~RocksEngine() override;

  std::optional<std::string> get(Family, std::string_view key, const Snapshot* = nullptr) const override;
  std::vector<std::optional<std::string>> multi_get(Family, std::span<const std::string> keys,
                                                    const Snapshot* = nullptr) const override;
  std::unique_ptr<Snapshot> snapshot() const override;
  void scan(Family, const Range&, const std::function<bool(std::string_view, std::string_view)>& visit,
            const Snapshot* = nullptr) const override;
  CounterFields counter(Family, std::string_view key, const Snapshot* = nullptr) const override;
  std::uint64_t version(Family, std::string_view key) const override;
  Task<CommitResult> commit(Batch, Durability = Durability::durable) override;
  CommitResult commit_blocking(Batch, Durability = Durability::durable) override;
  std::optional<std::string> read_only_reason() const override;

  EngineFigures figures() const;
  // One more backup in `to`, sharing unchanged files with those before; none of a store whose table files are damaged.
  // Throws Unavailable with the cause.
  void backup(const std::filesystem::path& to) const;
  // The newest backup of `from` into `folder`, which must not hold a store yet. Throws Unavailable.
  static void restore(const std::filesystem::path& from, const std::filesystem::path& folder);
  // Reads every table file and log against its checksums; what does not match, file by file. Blocks.
  std::vector<Damage> verify_files() const;

 private:
  std::vector<Damage> damaged_tables() const;
  struct Impl;
  explicit RocksEngine(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace store
