// An engine that keeps everything in ordered maps under one mutex, written straight from the contract: what the tests
// of the contract hold beside RocksDB. Engines that have one folder open share their data, as boxes share a database
// server. Nothing outlives them but their backups. A snapshot is a copy of all families.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/engine.h"

namespace store_test {

extern const store::EngineKind memory_engine;

class MemoryEngine final : public store::Engine {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;
  using Families = std::vector<Values>;  // by store::Family

  // Begins with what was restored to the folder, if anything.
  explicit MemoryEngine(const store::EngineOptions&);

  std::optional<std::string> get(store::Scope, store::Family, std::string_view key,
                                 const store::Snapshot*) const override;
  std::vector<std::optional<std::string>> multi_get(store::Scope, store::Family, std::span<const std::string> keys,
                                                    const store::Snapshot*) const override;
  std::unique_ptr<store::Snapshot> snapshot() const override;
  void scan(store::Scope, store::Family, const store::Range&,
            const std::function<bool(std::string_view, std::string_view)>& visit,
            const store::Snapshot*) const override;
  store::CounterFields counter(store::Scope, store::Family, std::string_view key,
                               const store::Snapshot*) const override;
  std::uint64_t version(store::Family, std::string_view key) const override;
  store::Task<store::CommitResult> commit(store::Batch, store::Durability) override;
  store::CommitResult commit_blocking(store::Batch, store::Durability) override;
  store::Task<std::int64_t> next_number(store::Family, std::string key) override;
  std::int64_t next_number_blocking(store::Family, const std::string& key) override;
  std::optional<std::string> read_only_reason() const override;
  void backup(const std::filesystem::path& to) const override;
  std::vector<store::Damage> verify_files() const override { return {}; }
  store::EngineStats stats() const override;

 private:
  struct Copy;
  struct Data {
    std::mutex mutex;  // protects what follows
    Families families;
    std::uint64_t version = 0;  // one for everything: it "may change without" a write to the part
  };
  static std::shared_ptr<Data> data_in(const std::filesystem::path& folder, const std::vector<std::string>& names);

  // Calls `read` with the families, at the snapshot if there is one.
  auto reading(const store::Snapshot*, const auto& read) const;
  bool holds(const store::Precondition&, const store::Batch&) const;
  void apply(const store::Write&);

  const std::vector<std::string> names_;
  const store::ScopeRules scopes_;
  const bool is_read_only_;
  const std::shared_ptr<Data> data_;
  store::EngineStats stats_;  // protected by data_->mutex
};

}  // namespace store_test
