// A set of writes that happens whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/rows.h"
#include "store/table.h"

namespace store {

struct NamedLease;

// Built on one thread; commit once. Movable; must not outlive the Store.
class Change {
 public:
  // The id must be free, and so must every unique index value: else Outcome::duplicate. Returns what will be
  // Row::stored. The reference is valid until something is added to the change.
  template <class R>
  const std::string& insert(const Owned<R>& table, const R& record) {
    expect_free(table, keys::owned(record.*table.owner, record.*table.id));
    return insert_new(table, record);
  }
  // The same without the check that the id is free: for ids that cannot collide, such as random ones.
  template <class R>
  const std::string& insert_new(const Owned<R>& table, const R& record) {
    expect_owner(record.*table.owner);
    return insert_at(table, keys::owned(record.*table.owner, record.*table.id), keys::owner(record.*table.owner),
                     record);
  }
  template <class R, class Id>
  const std::string& insert(const Global<R, Id>& table, const R& record) {
    expect_unscoped();
    expect_free(table, keys::record(record.*table.id));
    return insert_at(table, keys::record(record.*table.id), {}, record);
  }

  // Replaces the record as read: else Outcome::stale. The id and the owner are those it was read with.
  template <class R>
  void update(const Owned<R>& table, const Row<R>& row) {
    expect_owner(row.value.*table.owner);
    update_at(table, keys::owned(row.value.*table.owner, row.value.*table.id), keys::owner(row.value.*table.owner),
              row);
  }
  template <class R, class Id>
  void update(const Global<R, Id>& table, const Row<R>& row) {
    expect_unscoped();
    update_at(table, keys::record(row.value.*table.id), {}, row);
  }

  template <class R>
  void erase(const Owned<R>& table, const Row<R>& row) {
    expect_owner(row.value.*table.owner);
    erase_at(table, keys::owned(row.value.*table.owner, row.value.*table.id), keys::owner(row.value.*table.owner), row);
  }
  template <class R, class Id>
  void erase(const Global<R, Id>& table, const Row<R>& row) {
    expect_unscoped();
    erase_at(table, keys::record(row.value.*table.id), {}, row);
  }

  // The record must still be as read (a guard without a write): else Outcome::stale.
  template <class R>
  void require(const Owned<R>& table, const Row<R>& row) {
    expect_owner(row.value.*table.owner);
    expect_as_read(table, keys::owned(row.value.*table.owner, row.value.*table.id), row);
  }
  template <class R, class Id>
  void require(const Global<R, Id>& table, const Row<R>& row) {
    expect_unscoped();
    expect_as_read(table, keys::record(row.value.*table.id), row);
  }

  // This box must still hold the lease: else commit() throws Unavailable.
  void require(const NamedLease&);

  // Counters of a tenant, or of the box (owner 0). With a bound the sum after this change must not exceed it: else
  // Outcome::over_bound.
  void add(UserId owner, const CounterName&, std::int64_t delta, std::optional<std::int64_t> bound = {});
  // The same for a tally: each field is added separately, and none may exceed its bound.
  void add(UserId owner, const CounterName&, const CounterFields& deltas, const std::vector<Bound>& bounds = {});

  Task<Outcome> commit(Durability = Durability::durable);
  Outcome commit_blocking(Durability = Durability::durable);

 private:
  friend class Tenant;
  friend class System;
  // With `only`, records and counters of other owners are refused with std::logic_error.
  Change(Rows& rows, std::optional<UserId> only) : rows_(&rows), only_(only) {
    if (only) batch_.scope = Scope::tenant(*only);
    batch_.writes.reserve(usual_writes);
    batch_.preconditions.reserve(usual_writes);
    expectations_.reserve(usual_writes);
  }

  void expect_owner(UserId) const;
  void expect_unscoped() const;
  void expect(Precondition, Outcome::Kind, std::string index);
  // `version`: see Precondition.
  void expect_unchanged(Family, std::string key, std::string stored, std::optional<std::uint64_t> version = {});
  void put(Family, std::string key, std::string value);
  void remove(Family, std::string key);
  void remove_entry(std::string entry, std::string record);
  Outcome outcome_of(CommitResult) const;

  // The key of a record's entry in an index; nothing when the record has none.
  template <class R, class Table>
  static std::optional<std::string> entry(const Table& table, const Index<R>& index, std::string_view key,
                                          std::string_view owner, const R& record) {
    const auto value = index.key(record);
    if (!value) return {};
    auto bytes =
        keys::index_entry(table.name.number, index.number, index.is_scoped ? owner : std::string_view(), *value);
    if (!index.is_unique) bytes.append(key);
    return bytes;
  }

  template <class R, class Table>
  void add_entry(const Table&, const Index<R>& index, const std::string& key, std::string entry_key) {
    if (index.is_unique)
      expect({.kind = Precondition::Kind::absent, .family = rows_->index_family(), .key = entry_key},
             Outcome::Kind::duplicate, index.name);
    put(rows_->index_family(), std::move(entry_key), key);
  }

  template <class R>
  void expect_as_read(const auto& table, std::string key, const Row<R>& row) {
    expect_unchanged(rows_->family(table.name), std::move(key), row.stored, row.version);
  }

  void expect_free(const auto& table, std::string key) {
    const auto family = rows_->family(table.name);
    expect({.kind = Precondition::Kind::absent, .family = family, .key = std::move(key)}, Outcome::Kind::duplicate,
           "id");
  }

  template <class R, class Table>
  const std::string& insert_at(const Table& table, std::string key, std::string_view owner, const R& record) {
    for (const auto& index : table.indexes)
      if (auto added = entry(table, index, key, owner, record)) add_entry<R>(table, index, key, std::move(*added));
    auto bytes = encode(record, {&rows_->sealer(), table.name.number, key});
    put(rows_->family(table.name), std::move(key), std::move(bytes));
    return batch_.writes.back().value;
  }

  template <class R, class Table>
  void update_at(const Table& table, std::string key, std::string_view owner, const Row<R>& row) {
    const Place place{&rows_->sealer(), table.name.number, key};
    expect_as_read(table, key, row);
    Changed<R> changed;
    auto bytes = encode(row.value, place, row.stored, &changed);
    std::optional<R> before;  // decoded when the first index needs it
    for (const auto& index : table.indexes) {
      if (index.member && !changed[*index.member]) continue;
      if (!before) before = decode<R>(row.stored, place);
      auto removed = entry(table, index, key, owner, *before);
      auto added = entry(table, index, key, owner, row.value);
      if (removed == added) continue;
      if (removed) remove_entry(std::move(*removed), key);
      if (added) add_entry<R>(table, index, key, std::move(*added));
    }
    put(rows_->family(table.name), std::move(key), std::move(bytes));
  }

  template <class R, class Table>
  void erase_at(const Table& table, std::string key, std::string_view owner, const Row<R>& row) {
    expect_as_read(table, key, row);
    if (!table.indexes.empty()) {
      const auto before = decode<R>(row.stored, {&rows_->sealer(), table.name.number, key});
      for (const auto& index : table.indexes)
        if (auto removed = entry(table, index, key, owner, before)) remove_entry(std::move(*removed), key);
    }
    remove(rows_->family(table.name), std::move(key));
  }

  template <class R>
  static std::string owner_of(const Owned<R>& table, const R& record) {
    return keys::owner(record.*table.owner);
  }
  template <class R, class Id>
  static std::string owner_of(const Global<R, Id>&, const R&) {
    return {};
  }
  template <class R>
  void reindex_as(const auto& table, std::string_view key, std::string_view bytes) {
    const auto record = decode<R>(bytes, {&rows_->sealer(), table.name.number, key});
    const auto owner = owner_of(table, record);
    expect_unchanged(rows_->family(table.name), std::string(key), std::string(bytes));
    for (const auto& index : table.indexes)
      if (auto added = entry(table, index, key, owner, record))
        put(rows_->index_family(), std::move(*added), std::string(key));
  }
  template <class R>
  void reindex(const Owned<R>& table, std::string_view key, std::string_view bytes) {
    reindex_as<R>(table, key, bytes);
  }
  template <class R, class Id>
  void reindex(const Global<R, Id>& table, std::string_view key, std::string_view bytes) {
    reindex_as<R>(table, key, bytes);
  }

  static constexpr std::size_t usual_writes = 8;
  struct Expectation {
    Outcome::Kind kind;
    std::string index;
    std::size_t field = 0;
    bool is_lease = false;
  };
  Rows* rows_;
  std::optional<UserId> only_;
  Batch batch_;
  std::vector<Expectation> expectations_;  // one for each precondition of the batch
};

}  // namespace store
