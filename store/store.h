// The store as the house sees it: open it once, hand out views. Only services that need the whole (scheduler, watchdog,
// admin, sign-in) hold a System; a request's own data is reached through a Tenant, which cannot name another's key.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/engine.h"
#include "store/table.h"

namespace store {

class Store;

// A named 64-bit counter, summed without read-modify-write. The name may hold the period: "tokens/2026-11".
struct CounterName {
  std::string name;
};

// A set of writes that happens whole or not at all. Built on one thread; commit once.
class Change {
 public:
  // The id must be free, and so must every unique index value: else Outcome::duplicate.
  template <class R> void insert(const Owned<R>&, const R&);
  template <class R, class Id> void insert(const Global<R, Id>&, const R&);
  // Replaces the record as read: else Outcome::stale. Ids and owner must not have changed (std::logic_error).
  template <class R> void update(const Owned<R>&, const Row<R>&);
  template <class R, class Id> void update(const Global<R, Id>&, const Row<R>&);
  template <class R> void erase(const Owned<R>&, const Row<R>&);
  template <class R, class Id> void erase(const Global<R, Id>&, const Row<R>&);
  // The record must still be as read (a guard without a write): else Outcome::stale.
  template <class R> void require(const Owned<R>&, const Row<R>&);
  template <class R, class Id> void require(const Global<R, Id>&, const Row<R>&);
  // Counters of a tenant (owner > 0) or of the box (owner 0). With a bound the sum after this change must not exceed it:
  // else Outcome::over_bound. A Tenant's change refuses other owners with std::logic_error.
  void add(UserId owner, const CounterName&, std::int64_t delta, std::optional<std::int64_t> bound = {});

  Task<Outcome> commit(Durability = Durability::durable);
  Outcome commit_blocking(Durability = Durability::durable);

 private:
  friend class Tenant;
  friend class System;
  Change(Store&, std::optional<UserId> only);
  // ...
};

// What one user can reach. Cheap to copy; must not outlive the Store. Callable from every thread.
class Tenant {
 public:
  UserId owner() const;
  template <class R> std::optional<Row<R>> get(const Owned<R>&, std::string_view id) const;
  template <class R> std::vector<R> list(const Owned<R>&, const Page& = {}) const;
  template <class R> std::vector<R> find(const Owned<R>&, std::string_view scoped_index, std::string_view value, const Page& = {}) const;
  std::int64_t counter(const CounterName&) const;
  Change change() const;  // accepts this owner's records only
  // Reads, applies `edit`, commits; again when stale. `edit` may run several times. Nothing: no such record. A unique value that is
  // taken throws nothing: it is told in the Outcome of the pair.
  template <class R, class Edit> Task<std::optional<R>> modify(const Owned<R>&, std::string id, Edit edit) const;
};

// The unscoped view.
class System {
 public:
  Tenant tenant(UserId) const;
  template <class R> std::optional<Row<R>> get(const Owned<R>&, UserId owner, std::string_view id) const;
  template <class R, class Id> std::optional<Row<R>> get(const Global<R, Id>&, const Id& id) const;
  // By unique index. Value types: std::string, integers, Time.
  template <class R, class V> std::optional<Row<R>> find_unique(const Owned<R>&, std::string_view index, const V& value) const;
  template <class R, class Id, class V> std::optional<Row<R>> find_unique(const Global<R, Id>&, std::string_view index, const V& value) const;
  // By secondary index, in index order: equal to `value`, or (find_range) from `first` inclusive to `last` exclusive.
  template <class R, class V> std::vector<R> find(const Owned<R>&, std::string_view index, const V& value, std::size_t limit = 1000) const;
  template <class R, class Id, class V> std::vector<R> find(const Global<R, Id>&, std::string_view index, const V& value, std::size_t limit = 1000) const;
  template <class R, class V> std::vector<R> find_range(const Owned<R>&, std::string_view index, const V& first, const V& last, std::size_t limit = 1000) const;
  template <class R, class Id, class V> std::vector<R> find_range(const Global<R, Id>&, std::string_view index, const V& first, const V& last, std::size_t limit = 1000) const;
  // Every record, in key order, on one snapshot; until `visit` returns false.
  template <class R> void each(const Owned<R>&, const std::function<bool(const R&)>& visit) const;
  template <class R, class Id> void each(const Global<R, Id>&, const std::function<bool(const R&)>& visit) const;
  std::int64_t counter(UserId owner, const CounterName&) const;
  Change change() const;
  template <class R, class Edit> Task<std::optional<R>> modify(const Owned<R>&, UserId owner, std::string id, Edit edit) const;
  template <class R, class Id, class Edit> Task<std::optional<R>> modify(const Global<R, Id>&, Id id, Edit edit) const;
  // A positive integer never handed out before, also across restarts.
  Task<std::int64_t> next_id(std::string sequence) const;
  std::int64_t next_id_blocking(std::string sequence) const;
};

// One step forward of the schema: brings a store of version `to - 1` to version `to`. Runs before anything else sees the store.
struct Migration {
  std::uint32_t to;
  std::string what;
  std::function<void(const System&)> run;
};

struct Options {
  std::filesystem::path folder;               // the store's own folder inside the data folder
  std::string master_key;                     // 32 bytes
  std::vector<std::string> families;          // of every table; meta, index and counters are added
  std::vector<Migration> migrations;          // ascending; the last one's `to` is the schema version (1 when empty)
  bool read_only = false;                     // verify: opens without writing
};

class Store {
 public:
  // Throws Unavailable with one sentence: folder in use by another process, not writable, newer schema, damaged log or
  // files (which, and what to do), wrong master key.
  static std::unique_ptr<Store> open(Options);
  ~Store();

  System system();
  std::optional<std::string> read_only_reason() const;

  // Online and incremental; callable while the box runs. Blocks.
  void backup(const std::filesystem::path& to);
  // Refuses a folder that already holds a store.
  static void restore(const std::filesystem::path& from, const std::filesystem::path& folder);
  struct Finding { std::string what, where; };
  // Checksums of every file, every record parses, every index entry has its record and every record its index entries.
  std::vector<Finding> verify() const;

  // For /metrics: queue length, last batch size, commits, fsync time, memory of tables and cache.
  struct Stats {
    std::uint64_t commits = 0, batches = 0, conflicts = 0, queued = 0, last_batch = 0;
    std::uint64_t memtable_bytes = 0, cache_bytes = 0, live_sst_bytes = 0;
    double sync_seconds_total = 0;
  };
  Stats stats() const;
};

}  // namespace store
