// The embedded engine: RocksDB behind the Engine contract.
//
// Bytes on disk: one column family for each family, of its name. Keys and values are the caller's; a counter's value is
// its fields (counter_fields.h).
//
// After a failed write the store is read-only (fail_stop.h). Once a second a thread then tries whether the disk takes a
// write and a sync; if so, it opens the database anew, as a restart would, checks every file against its checksums, and
// makes it writable. Reads wait while it opens.
//
// With EngineOptions::kept_log_bytes, obsolete logs are moved to archive/ in the folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/engine.h"

namespace store {

extern const EngineKind rocks_engine;

class RocksEngine final : public Engine {
 public:
  // Throws Unavailable.
  static std::unique_ptr<RocksEngine> open(EngineOptions);
  ~RocksEngine() override;

  std::optional<std::string> get(Scope, Family, std::string_view key, const Snapshot* = nullptr) const override;
  std::vector<std::optional<std::string>> multi_get(Scope, Family, std::span<const std::string> keys,
                                                    const Snapshot* = nullptr) const override;
  std::unique_ptr<Snapshot> snapshot() const override;
  std::uint64_t position(const Snapshot* = nullptr) const override;
  void scan(Scope, Family, const Range&, const std::function<bool(std::string_view, std::string_view)>& visit,
            const Snapshot* = nullptr) const override;
  CounterFields counter(Scope, Family, std::string_view key, const Snapshot* = nullptr) const override;
  std::uint64_t version(Family, std::string_view key) const override;
  Task<CommitResult> commit(Batch, Durability = Durability::durable) override;
  CommitResult commit_blocking(Batch, Durability = Durability::durable) override;
  Task<std::int64_t> next_number(Family counters, std::string key) override;
  std::int64_t next_number_blocking(Family counters, const std::string& key) override;
  std::optional<std::string> read_only_reason() const override;
  // Backups in one folder share their unchanged files.
  void backup(const std::filesystem::path& to) const override;
  std::vector<Damage> verify_files() const override;
  EngineStats stats() const override;
  Replication* replication() override;

 private:
  struct Impl;
  explicit RocksEngine(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace store
