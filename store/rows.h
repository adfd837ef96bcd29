// Reading typed records: what Tenant, System and Change are built on. Not for use outside of store/.
#pragma once

#include <any>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/codec.h"
#include "store/engine.h"
#include "store/keys.h"
#include "store/table.h"
#include "store/table_register.h"
#include "store/versioned_cache.h"

namespace store {

class Rows {
 public:
  // The engine was opened with the register's families.
  Rows(Engine& engine, const Sealer& sealer, const TableRegister& tables);

  Engine& engine() const { return engine_; }
  const Sealer& sealer() const { return sealer_; }
  // Throws std::logic_error for a table that the store was not opened with.
  Family family(const TableName& table) const {
    const auto named = families_[table.number];
    if (named == meta_family()) not_opened(table);
    return named;
  }
  static Family meta_family() { return 0; }
  static Family index_family() { return 1; }
  static Family counter_family() { return 2; }
  static std::string counter_key(UserId owner, const CounterName& name) { return keys::owned(owner, name.name); }
  CounterFields counter(Scope scope, UserId owner, const CounterName& name) const {
    return engine_.counter(scope, counter_family(), counter_key(owner, name));
  }
  // The same from the cache, which is valid until one of the owner's counters changes.
  CounterFields cached_counter(UserId owner, const CounterName& name) const {
    const auto key = counter_key(owner, name);
    const auto version = engine_.version(counter_family(), key);
    return *cached_counters_->get(
        key, version, [&] { return std::optional(engine_.counter(Scope::system(), counter_family(), key)); });
  }

  template <class R, class Table>
  std::optional<Row<R>> get(Scope scope, const Table& table, const std::string& key) const {
    const auto family = this->family(table.name);
    const auto version = engine_.version(family, key);
    auto bytes = engine_.get(scope, family, key);
    if (!bytes) return std::nullopt;
    auto record = decode<R>(*bytes, {&sealer_, table.name.number, key});
    return Row<R>{std::move(record), std::move(*bytes), version};
  }
  // The same from the cache, which is valid until a record of the same owner changes. Null: no such record.
  template <class R, class Table>
  std::shared_ptr<const Row<R>> cached(Scope scope, const Table& table, const std::string& key) const {
    if (!scope.is_system() && !keys::belongs_to(*scope.owner(), key)) return nullptr;
    const auto version = engine_.version(family(table.name), key);
    const auto* cache = std::any_cast<std::shared_ptr<RowCache<R>>>(&caches_[table.name.number]);
    if (!cache) not_opened(table.name);  // not with this record type
    return (*cache)->get(key, version, [&] { return get<R>(scope, table, key); });
  }

  template <class R>
  std::vector<R> list(const Owned<R>& table, UserId owner, const Page& page) const;
  template <class R, class Table, class V>
  std::optional<Row<R>> find_unique(const Table& table, std::string_view index, const V& value) const;
  template <class R, class Table, class V>
  std::vector<R> find_equal(Scope, const Table& table, std::string_view index, const V& value, std::size_t limit) const;
  template <class R, class Table, class V>
  std::vector<R> find_range(const Table& table, std::string_view index, const V& first, const V& last,
                            std::size_t limit) const;
  // Without a snapshot: on one of its own.
  template <class R, class Table>
  void each(const Table& table, const std::function<bool(const R&)>& visit) const;
  template <class R, class Table>
  void each(const Table& table, const std::function<bool(const R&)>& visit, const Snapshot& at) const;
  using VisitRaw = std::function<bool(std::string_view key, std::string_view bytes)>;
  void each_raw(const TableName&, const VisitRaw& visit) const;
  void each_raw(const TableName&, const VisitRaw& visit, const Snapshot& at) const;
  using VisitCounter = std::function<void(UserId owner, std::string_view name, const CounterFields&)>;
  void each_counter(std::string_view name_prefix, const VisitCounter&, const Snapshot& at) const;

  static std::string sequence_key(const std::string& sequence) { return counter_key(0, {"sequence/" + sequence}); }

 private:
  // Throws std::logic_error.
  [[noreturn]] static void not_opened(const TableName&);
  template <class R, class Table>
  std::vector<R> records_of(Scope, const Table& table, const Range& entries, std::size_t limit) const;

  Engine& engine_;
  const Sealer& sealer_;
  // By the table's number; meta_family() for those that are not open.
  std::array<Family, 256> families_{};
  std::array<std::any, 256> caches_;  // by the table's number: TableInfo::new_cache's
  const std::unique_ptr<VersionedCache<CounterFields, std::string>> cached_counters_ =
      std::make_unique<VersionedCache<CounterFields, std::string>>();
};

// The index of that name; throws std::logic_error when the table has none, or one of the wrong kind.
template <class R>
const Index<R>& index_named(const std::vector<Index<R>>& indexes, std::string_view name, bool is_unique,
                            bool is_scoped) {
  for (const auto& index : indexes)
    if (index.name == name && index.is_unique == is_unique && index.is_scoped == is_scoped) return index;
  throw std::logic_error("store: no such index: " + std::string(name));
}

template <class R>
std::vector<R> Rows::list(const Owned<R>& table, UserId owner, const Page& page) const {
  Range range{.first = keys::owner(owner), .last = keys::after_owner(owner), .reverse = page.newest_first};
  if (!page.after.empty()) {
    auto after = keys::owned(owner, page.after);
    if (page.newest_first)
      range.last = std::move(after);
    else
      range.first = std::move(after.append(1, '\0'));
  }
  std::vector<R> records;
  if (page.limit == 0) return records;
  engine_.scan(Scope::tenant(owner), family(table.name), range, [&](std::string_view key, std::string_view bytes) {
    records.push_back(decode<R>(bytes, {&sealer_, table.name.number, key}));
    return records.size() < page.limit;
  });
  return records;
}

template <class R, class Table, class V>
std::optional<Row<R>> Rows::find_unique(const Table& table, std::string_view name, const V& value) const {
  const auto& index = index_named(table.indexes, name, true, false);
  const auto wanted = index_value(value);
  if (!wanted) return std::nullopt;
  const auto entry = keys::index_entry(table.name.number, index.number, {}, *wanted);
  // The record may change between the two reads; then both are repeated on one snapshot.
  for (std::unique_ptr<Snapshot> snapshot;; snapshot = engine_.snapshot()) {
    auto found = engine_.find_one(Scope::system(), index_family(), entry, family(table.name), snapshot.get());
    if (!found) return std::nullopt;
    if (!found->value.empty()) {
      auto record = decode<R>(found->value, {&sealer_, table.name.number, found->key});
      if (index.key(record) == wanted) return Row<R>{std::move(record), std::move(found->value), found->version};
    }
    if (snapshot) throw Corrupt("the index " + index.name + " of " + table.name.family + " is damaged");
  }
}

template <class R, class Table>
std::vector<R> Rows::records_of(Scope scope, const Table& table, const Range& entries, std::size_t limit) const {
  std::vector<R> records;
  const auto found = engine_.lookup(scope, index_family(), entries, family(table.name), limit);
  records.reserve(found.size());
  for (const auto& [key, bytes, version] : found)
    records.push_back(decode<R>(bytes, {&sealer_, table.name.number, key}));
  return records;
}

template <class R, class Table, class V>
std::vector<R> Rows::find_equal(Scope scope, const Table& table, std::string_view name, const V& value,
                                std::size_t limit) const {
  const auto& index = index_named(table.indexes, name, false, !scope.is_system());
  const auto wanted = index_value(value);
  if (!wanted) return {};
  const auto owner = scope.is_system() ? std::string() : keys::owner(*scope.owner());
  auto prefix = keys::index_entry(table.name.number, index.number, owner, *wanted);
  const Range range{.first = prefix, .last = keys::after_prefix(prefix)};
  return records_of<R>(scope, table, range, limit);
}

template <class R, class Table, class V>
std::vector<R> Rows::find_range(const Table& table, std::string_view name, const V& first, const V& last,
                                std::size_t limit) const {
  const auto& index = index_named(table.indexes, name, false, false);
  const auto from = index_value(first), to = index_value(last);
  const Range range{.first = keys::index_from(table.name.number, index.number, {}, from.value_or("")),
                    .last = keys::index_from(table.name.number, index.number, {}, to.value_or(""))};
  if (!to || range.first >= range.last) return {};
  return records_of<R>(Scope::system(), table, range, limit);
}

template <class R, class Table>
void Rows::each(const Table& table, const std::function<bool(const R&)>& visit) const {
  each<R>(table, visit, *engine_.snapshot());
}

template <class R, class Table>
void Rows::each(const Table& table, const std::function<bool(const R&)>& visit, const Snapshot& at) const {
  const VisitRaw visit_raw = [&](std::string_view key, std::string_view bytes) {
    return visit(decode<R>(bytes, {&sealer_, table.name.number, key}));
  };
  each_raw(table.name, visit_raw, at);
}

}  // namespace store
