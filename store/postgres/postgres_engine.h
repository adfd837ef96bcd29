// The engine over a PostgreSQL server, 15 or later: tables, roles and functions of schema.h. One box at a time,
// or several with EngineOptions::sharing (lease.h, feed.h, shared_boxes.h).
//
// Reads take one round trip each. Those with a tenant's scope call functions that run as a role which row-level
// security limits to that owner, whatever the key, and so do the writes of batches with such a scope. Commits go
// through the Committer (commit_log.h). While the server does not answer, everything throws Unavailable, after a second
// at most (pool.h).
//
// EngineOptions::folder is what remember_location() returned. A backup has the form of the embedded engine's, so that
// it restores into either: the records of one moment are copied into an embedded store beside the lock, which is backed
// up. The check of files and replication are the server's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/postgres/server_url.h"

namespace store {

extern const EngineKind postgres_engine;

class PostgresEngine final : public Engine {
 public:
  // Throws Unavailable.
  static std::unique_ptr<PostgresEngine> open(const EngineOptions&, postgres::Location);
  ~PostgresEngine() override;

  std::optional<std::string> get(Scope, Family, std::string_view key, const Snapshot* = nullptr) const override;
  std::vector<std::optional<std::string>> multi_get(Scope, Family, std::span<const std::string> keys,
                                                    const Snapshot* = nullptr) const override;
  std::vector<Found> lookup(Scope, Family index, const Range& entries, Family records,
                            std::size_t limit) const override;
  std::optional<Found> find_one(Scope, Family index, std::string_view entry, Family records,
                                const Snapshot* = nullptr) const override;
  std::unique_ptr<Snapshot> snapshot() const override;
  void scan(Scope, Family, const Range&, const std::function<bool(std::string_view, std::string_view)>& visit,
            const Snapshot* = nullptr) const override;
  CounterFields counter(Scope, Family, std::string_view key, const Snapshot* = nullptr) const override;
  std::uint64_t version(Family, std::string_view key) const override;
  Task<CommitResult> commit(Batch, Durability = Durability::durable) override;
  CommitResult commit_blocking(Batch, Durability = Durability::durable) override;
  Task<std::int64_t> next_number(Family counters, std::string key) override;
  std::int64_t next_number_blocking(Family counters, const std::string& key) override;
  std::optional<std::string> read_only_reason() const override;
  void backup(const std::filesystem::path& to) const override;
  std::vector<Damage> verify_files() const override { return {}; }
  EngineStats stats() const override;
  // Since it was opened.
  std::uint64_t position(const Snapshot* = nullptr) const override;
  Boxes& boxes() override;

 private:
  struct Impl;
  explicit PostgresEngine(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace store
