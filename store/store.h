// The store as its users see it: open it once, hand out views. Only services that need the whole (scheduler, watchdog,
// admin, sign-in) hold a System; a request's own data is reached through a Tenant, which cannot name another's key.
#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/change.h"
#include "store/engine.h"
#include "store/keys.h"
#include "store/rows.h"
#include "store/table.h"
#include "store/table_register.h"

namespace store {

// A row's record, which keeps the row.
template <class R>
std::shared_ptr<const R> value_of(std::shared_ptr<const Row<R>> row) {
  const auto* value = row ? &row->value : nullptr;
  return {std::move(row), value};
}

// What one user can reach. Cheap to copy; must not outlive the Store. Callable from every thread.
class Tenant {
 public:
  UserId owner() const { return owner_; }

  template <class R>
  std::optional<Row<R>> get(const Owned<R>& table, std::string_view id) const {
    return rows_->get<R>(scope(), table, keys::owned(owner_, id));
  }
  // The same from a cache, which is valid until one of the owner's records of the table changes. Null: no such record.
  template <class R>
  std::shared_ptr<const R> cached(const Owned<R>& table, std::string_view id) const {
    return value_of(rows_->cached<R>(scope(), table, keys::owned(owner_, id)));
  }
  // In key order, or newest first.
  template <class R>
  std::vector<R> list(const Owned<R>& table, const Page& page = {}) const {
    return rows_->list<R>(table, owner_, page);
  }
  // By a scoped index, in key order among equals.
  template <class R, class V>
  std::vector<R> find(const Owned<R>& table, std::string_view index, const V& value, std::size_t limit = 1000) const {
    return rows_->find_equal<R>(scope(), table, index, value, limit);
  }
  std::int64_t counter(const CounterName& name) const { return rows_->counter(scope(), owner_, name)[0]; }
  CounterFields tally(const CounterName& name) const { return rows_->counter(scope(), owner_, name); }
  // See Engine::version: what is read from the table after this stays valid while this stays the same.
  template <class R>
  std::uint64_t version(const Owned<R>& table) const {
    return rows_->engine().version(rows_->family(table.name), keys::owner(owner_));
  }
  // Accepts this owner's records and counters only: std::logic_error for others.
  Change change() const { return Change(*rows_, owner_); }
  // Reads, applies `edit` and commits; retries when the record changed in between, so `edit` may run several times. It
  // must not touch unique fields (std::logic_error when one is taken). Nothing: no such record.
  template <class R, class Edit>
  Task<std::optional<R>> modify(const Owned<R>& table, std::string id, Edit edit) const {
    return modify_in(*this, table, std::move(id), std::move(edit));
  }

 private:
  friend class System;
  // Takes the view by value: a coroutine starts when it is awaited, when a temporary view is gone.
  template <class R, class Edit>
  static Task<std::optional<R>> modify_in(Tenant view, const Owned<R>& table, std::string id, Edit edit);
  Scope scope() const { return Scope::tenant(owner_); }
  Tenant(Rows& rows, UserId owner) : rows_(&rows), owner_(owner) {}
  Rows* rows_;
  UserId owner_;
};

// The records and counters of one moment, so that they can be compared with each other. Keeps what is overwritten
// meanwhile on disk: let it go soon. Must not outlive the Store.
class Moment {
 public:
  // Every record in key order, until `visit` returns false.
  template <class R>
  void each(const Owned<R>& table, const std::type_identity_t<std::function<bool(const R&)>>& visit) const {
    rows_->each<R>(table, visit, *snapshot_);
  }
  // Every counter whose name begins with the prefix. Reads all counters.
  void each_counter(std::string_view name_prefix, const Rows::VisitCounter& visit) const {
    rows_->each_counter(name_prefix, visit, *snapshot_);
  }

 private:
  friend class System;
  explicit Moment(Rows& rows) : rows_(&rows), snapshot_(rows.engine().snapshot()) {}
  Rows* rows_;
  std::unique_ptr<Snapshot> snapshot_;
};

// The unscoped view.
class System {
 public:
  Moment moment() const { return Moment(*rows_); }
  Tenant tenant(UserId owner) const { return Tenant(*rows_, owner); }

  template <class R>
  std::optional<Row<R>> get(const Owned<R>& table, UserId owner, std::string_view id) const {
    return rows_->get<R>(Scope::system(), table, keys::owned(owner, id));
  }
  template <class R, class Id>
  std::optional<Row<R>> get(const Global<R, Id>& table, const std::type_identity_t<Id>& id) const {
    return rows_->get<R>(Scope::system(), table, keys::record(id));
  }

  // The same from a cache, which is valid until its part of the store changes (Engine::version). Null: no such record.
  template <class R, class Id>
  std::shared_ptr<const R> cached(const Global<R, Id>& table, const std::type_identity_t<Id>& id) const {
    return value_of(cached_row(table, id));
  }
  template <class R, class Id>
  std::shared_ptr<const Row<R>> cached_row(const Global<R, Id>& table, const std::type_identity_t<Id>& id) const {
    return rows_->cached<R>(Scope::system(), table, keys::record(id));
  }

  // By unique index.
  template <class R, class V>
  std::optional<Row<R>> find_unique(const Owned<R>& table, std::string_view index, const V& value) const {
    return rows_->find_unique<R>(table, index, value);
  }
  template <class R, class Id, class V>
  std::optional<Row<R>> find_unique(const Global<R, Id>& table, std::string_view index, const V& value) const {
    return rows_->find_unique<R>(table, index, value);
  }

  // By secondary index, in index order: equal to `value`, or from `first` inclusive to `last` exclusive.
  template <class R, class V>
  std::vector<R> find(const Owned<R>& table, std::string_view index, const V& value, std::size_t limit = 1000) const {
    return rows_->find_equal<R>(Scope::system(), table, index, value, limit);
  }
  template <class R, class Id, class V>
  std::vector<R> find(const Global<R, Id>& table, std::string_view index, const V& value,
                      std::size_t limit = 1000) const {
    return rows_->find_equal<R>(Scope::system(), table, index, value, limit);
  }
  template <class R, class V>
  std::vector<R> find_range(const Owned<R>& table, std::string_view index, const V& first, const V& last,
                            std::size_t limit = 1000) const {
    return rows_->find_range<R>(table, index, first, last, limit);
  }
  template <class R, class Id, class V>
  std::vector<R> find_range(const Global<R, Id>& table, std::string_view index, const V& first, const V& last,
                            std::size_t limit = 1000) const {
    return rows_->find_range<R>(table, index, first, last, limit);
  }

  // Every record in key order, on one snapshot, until `visit` returns false.
  template <class R>
  void each(const Owned<R>& table, const std::type_identity_t<std::function<bool(const R&)>>& visit) const {
    rows_->each<R>(table, visit);
  }
  template <class R, class Id>
  void each(const Global<R, Id>& table, const std::type_identity_t<std::function<bool(const R&)>>& visit) const {
    rows_->each<R>(table, visit);
  }

  std::int64_t counter(UserId owner, const CounterName& name) const {
    return rows_->counter(Scope::system(), owner, name)[0];
  }
  CounterFields tally(UserId owner, const CounterName& name) const {
    return rows_->counter(Scope::system(), owner, name);
  }
  // From a cache, which is valid until one of the owner's counters changes.
  std::int64_t cached_counter(UserId owner, const CounterName& name) const {
    return rows_->cached_counter(owner, name)[0];
  }
  Change change() const { return Change(*rows_, std::nullopt); }

  template <class R, class Edit>
  Task<std::optional<R>> modify(const Owned<R>& table, UserId owner, std::string id, Edit edit) const {
    return tenant(owner).modify(table, std::move(id), std::move(edit));
  }
  template <class R, class Id, class Edit>
  Task<std::optional<R>> modify(const Global<R, Id>& table, std::type_identity_t<Id> id, Edit edit) const {
    return modify_in(*this, table, std::move(id), std::move(edit));
  }

  // A positive integer that was never handed out before, restarts included.
  Task<std::int64_t> next_id(std::string sequence) const {
    return rows_->engine().next_number(Rows::counter_family(), Rows::sequence_key(sequence));
  }
  std::int64_t next_id_blocking(const std::string& sequence) const {
    return rows_->engine().next_number_blocking(Rows::counter_family(), Rows::sequence_key(sequence));
  }

  // For migrations: writes the index entries that the table declares for every record. May be repeated.
  template <class Table>
  void reindex_blocking(const Table& table) const;

 private:
  friend class Store;
  template <class R, class Id, class Edit>
  static Task<std::optional<R>> modify_in(System view, const Global<R, Id>& table, Id id, Edit edit);
  explicit System(Rows& rows) : rows_(&rows) {}
  Rows* rows_;
};

// One step forward of the schema: brings a store of version `to - 1` to version `to`, before anything else sees it. The
// version is written after `run` returned, so a step that was cut off runs again and must be repeatable.
struct Migration {
  std::uint32_t to;
  std::string what;
  std::function<void(const System&)> run;  // may be empty: only keeps older binaries from opening the store
};

struct Options {
  std::filesystem::path folder;       // the store's own folder inside the data folder
  std::string master_key;             // 32 bytes
  std::vector<TableInfo> tables;      // every table, by describe(); see TableRegister
  std::vector<Migration> migrations;  // ascending; the last one's `to` is the schema version (1 when empty)
  bool read_only = false;             // opens without writing or locking
  std::uint64_t kept_log_bytes = 0;   // EngineOptions
  Trouble on_trouble{};
  const EngineKind* engine = nullptr;  // null: default_engine()
  std::optional<Sharing> sharing{};    // EngineOptions
};

struct Census;

class Store {
 public:
  // Throws Unavailable with one sentence: folder in use by another process, not writable, newer schema, damaged log or
  // files (which, and what to do), wrong master key. Throws std::logic_error when TableRegister refuses the tables.
  static std::unique_ptr<Store> open(Options);
  ~Store();

  System system() const;
  std::optional<std::string> read_only_reason() const;

  // Online and incremental; callable while the box runs. Blocks. Sealed fields stay sealed, and the master key is not
  // included. Throws Unavailable with the cause.
  void backup(const std::filesystem::path& to) const;
  // Of the default engine. Refuses a folder that already holds a store. Throws Unavailable.
  static void restore(const std::filesystem::path& from, const std::filesystem::path& folder);

  struct Finding {
    std::string what;   // a sentence
    std::string where;  // table or file
  };
  // Checksums of every table file, every record parses and opens, every index entry has its record and every record its
  // index entries. Blocks; on one snapshot.
  std::vector<Finding> verify() const;

  // What a copy of the store is compared with (census.h). Reads every key, on one snapshot. Blocks.
  Census census(std::size_t samples) const;
  // After the copy was made: leaves out of the census what has changed since it was taken.
  void refresh(Census&) const;
  // Of a copy that was made between the two: a sentence for each count and each record that does not agree.
  std::vector<Finding> compare(const Census&) const;

  // Engine::replication.
  Replication* replication() const;
  // Engine::boxes.
  Boxes& boxes() const;

  EngineStats stats() const;
  // The tables it was opened with.
  const TableRegister& tables() const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

template <class R, class Edit>
Task<std::optional<R>> Tenant::modify_in(Tenant view, const Owned<R>& table, std::string id, Edit edit) {
  for (;;) {
    auto row = view.get(table, id);
    if (!row) co_return std::nullopt;
    edit(row->value);
    auto change = view.change();
    change.update(table, *row);
    const Outcome outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(row->value);
    if (outcome.kind != Outcome::Kind::stale)
      throw std::logic_error("modify changed the unique field " + outcome.index);
  }
}

template <class R, class Id, class Edit>
Task<std::optional<R>> System::modify_in(System view, const Global<R, Id>& table, Id id, Edit edit) {
  for (;;) {
    auto row = view.get(table, id);
    if (!row) co_return std::nullopt;
    edit(row->value);
    auto change = view.change();
    change.update(table, *row);
    const Outcome outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(row->value);
    if (outcome.kind != Outcome::Kind::stale)
      throw std::logic_error("modify changed the unique field " + outcome.index);
  }
}

template <class Table>
void System::reindex_blocking(const Table& table) const {
  rows_->each_raw(table.name, [&](std::string_view key, std::string_view bytes) {
    Change change(*rows_, std::nullopt);
    change.reindex(table, key, bytes);
    if (!change.commit_blocking().ok()) throw Unavailable("a record of " + table.name.family + " cannot be indexed");
    return true;
  });
}

}  // namespace store
