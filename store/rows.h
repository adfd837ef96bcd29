// Reading typed records: what Tenant, System and Change are built on. Not for use outside of store/.
#pragma once

#include <any>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  CounterFields counter(UserId owner, const CounterName& name) const {
    return engine_.counter(counter_family(), counter_key(owner, name));
  }
  // The same from the cache, which is valid until one of the owner's counters changes.
  CounterFields cached_counter(UserId owner, const CounterName& name) const {
    const auto key = counter_key(owner, name);
    const auto version = engine_.version(counter_family(), key);
    return *cached_counters_->get(key, version, [&] { return std::optional(engine_.counter(counter_family(), key)); });
  }

  template <class R, class Table>
  std::optional<Row<R>> get(const Table& table, const std::string& key, const Snapshot* at = nullptr) const {
    const auto family = this->family(table.name);
    const auto version = at ? std::nullopt : std::optional(engine_.version(family, key));
    auto bytes = engine_.get(family, key, at);
    if (!bytes) return std::nullopt;
    auto record = decode<R>(*bytes, {&sealer_, table.name.number, key});
    return Row<R>{std::move(record), std::move(*bytes), version};
  }
  // The same from the cache, which is valid until a record of the same owner changes. Null: no such record.
  template <class R, class Table>
  std::shared_ptr<const Row<R>> cached(const Table& table, const std::string& key) const {
    const auto version = engine_.version(family(table.name), key);
    const auto* cache = std::any_cast<std::shared_ptr<RowCache<R>>>(&caches_[table.name.number]);
    if (!cache) not_opened(table.name);  // not with this record type
    return (*cache)->get(key, version, [&] { return get<R>(table, key); });
  }

  template <class R>
  std::vector<R> list(const Owned<R>& table, UserId owner, const Page& page) const;
  template <class R, class Table, class V>
  std::optional<Row<R>> find_unique(const Table& table, std::string_view index, const V& value) const;
  template <class R, class Table, class V>
  std::vector<R> find_equal(const Table& table, const std::vector<Index<R>>& indexes, std::string_view index,
                            const std::string& scope, const V& value, std::size_t limit) const;
  template <class R, class Table, class V>
  std::vector<R> find_range(const Table& table, const std::vector<Index<R>>& indexes, std::string_view index,
                            const V& first, const V& last, std::size_t limit) const;
  template <class R, class Table>
  void each(const Table& table, const std::function<bool(const R&)>& visit) const;
  void each_raw(const TableName&, const std::function<bool(std::string_view key, std::string_view bytes)>& visit) const;

  Task<std::int64_t> next_id(std::string sequence);
  std::int64_t next_id_blocking(const std::string& sequence);

 private:
  // Throws std::logic_error.
  [[noreturn]] static void not_opened(const TableName&);
  template <class R, class Table>
  std::vector<R> records_of(const Table& table, const Range& entries, std::size_t limit) const;
  Batch allocate(const std::string& sequence, std::int64_t& id);

  Engine& engine_;
  const Sealer& sealer_;
  // By the table's number; meta_family() for those that are not open.
  std::array<Family, 256> families_{};
  std::array<std::any, 256> caches_;  // by the table's number: TableInfo::new_cache's
  const std::unique_ptr<VersionedCache<CounterFields, std::string>> cached_counters_ =
      std::make_unique<VersionedCache<CounterFields, std::string>>();

  std::mutex mutex_;  // protects sequences_
  std::unordered_map<std::string, std::int64_t> sequences_;
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
  engine_.scan(family(table.name), range, [&](std::string_view key, std::string_view bytes) {
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
    const auto key = engine_.get(index_family(), entry, snapshot.get());
    if (!key) return std::nullopt;
    auto found = get<R>(table, *key, snapshot.get());
    if (found && index.key(found->value) == wanted) return found;
    if (snapshot) throw Corrupt("the index " + index.name + " of " + table.name.family + " is damaged");
  }
}

template <class R, class Table>
std::vector<R> Rows::records_of(const Table& table, const Range& entries, std::size_t limit) const {
  std::vector<R> records;
  if (limit == 0) return records;
  const auto snapshot = engine_.snapshot();
  std::vector<std::string> found;
  engine_.scan(
      index_family(), entries,
      [&](std::string_view, std::string_view key) {
        found.emplace_back(key);
        return found.size() < limit;
      },
      snapshot.get());
  auto bytes = engine_.multi_get(family(table.name), found, snapshot.get());
  for (std::size_t at = 0; at < found.size(); ++at) {
    if (!bytes[at]) throw Corrupt("an index of " + table.name.family + " names a record that is not there");
    records.push_back(decode<R>(*bytes[at], {&sealer_, table.name.number, found[at]}));
  }
  return records;
}

template <class R, class Table, class V>
std::vector<R> Rows::find_equal(const Table& table, const std::vector<Index<R>>& indexes, std::string_view name,
                                const std::string& scope, const V& value, std::size_t limit) const {
  const auto& index = index_named(indexes, name, false, !scope.empty());
  const auto wanted = index_value(value);
  if (!wanted) return {};
  auto prefix = keys::index_entry(table.name.number, index.number, scope, *wanted);
  const Range range{.first = prefix, .last = keys::after_prefix(prefix)};
  return records_of<R>(table, range, limit);
}

template <class R, class Table, class V>
std::vector<R> Rows::find_range(const Table& table, const std::vector<Index<R>>& indexes, std::string_view name,
                                const V& first, const V& last, std::size_t limit) const {
  const auto& index = index_named(indexes, name, false, false);
  const auto from = index_value(first), to = index_value(last);
  const Range range{.first = keys::index_from(table.name.number, index.number, {}, from.value_or("")),
                    .last = keys::index_from(table.name.number, index.number, {}, to.value_or(""))};
  if (!to || range.first >= range.last) return {};
  return records_of<R>(table, range, limit);
}

template <class R, class Table>
void Rows::each(const Table& table, const std::function<bool(const R&)>& visit) const {
  each_raw(table.name, [&](std::string_view key, std::string_view bytes) {
    return visit(decode<R>(bytes, {&sealer_, table.name.number, key}));
  });
}

}  // namespace store
