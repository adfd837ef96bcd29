// Reading typed records: what Tenant, System and Change stand on. Not for use beyond the store room.
#pragma once

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

namespace store {

class Rows {
 public:
  // The engine has the families of `names`, in that order, with "meta", "index" and "counters" among them.
  Rows(Engine& engine, const Sealer& sealer, const std::vector<std::string>& names);

  Engine& engine() const { return engine_; }
  const Sealer& sealer() const { return sealer_; }
  // Throws std::logic_error for a table that was not named when the store was opened.
  Family family(std::string_view name) const;
  Family index_family() const { return index_; }
  Family counter_family() const { return counters_; }
  static std::string counter_key(UserId owner, const CounterName& name) { return keys::owned(owner, name.name); }
  Figures counter(UserId owner, const CounterName& name) const {
    return engine_.counter(counters_, counter_key(owner, name));
  }

  template <class R, class Table>
  std::optional<Row<R>> get(const Table& table, const std::string& key, const Snapshot* at = nullptr) const {
    auto bytes = engine_.get(family(table.name.family), key, at);
    if (!bytes) return std::nullopt;
    return row<R>(table, key, std::move(*bytes));
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
  void each_raw(std::string_view family,
                const std::function<bool(std::string_view key, std::string_view bytes)>& visit) const;

  Task<std::int64_t> next_id(std::string sequence);
  std::int64_t next_id_blocking(const std::string& sequence);

 private:
  template <class R, class Table>
  Row<R> row(const Table& table, std::string_view key, std::string bytes) const {
    Row<R> found;
    found.value = decode<R>(bytes, {&sealer_, table.name.number, key});
    found.stored = std::move(bytes);
    return found;
  }
  template <class R, class Table>
  std::vector<R> records_of(const Table& table, const Range& entries, std::size_t limit) const;
  Batch allocate(const std::string& sequence, std::int64_t& id);

  Engine& engine_;
  const Sealer& sealer_;
  std::unordered_map<std::string_view, Family> families_;  // views into names_
  const std::vector<std::string> names_;
  Family index_, counters_;

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
  engine_.scan(family(table.name.family), range, [&](std::string_view key, std::string_view bytes) {
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
  // The record may move between the two reads; then its entry has moved too.
  for (;;) {
    const auto key = engine_.get(index_, entry);
    if (!key) return std::nullopt;
    auto found = get<R>(table, *key);
    if (found && index.key(found->value) == wanted) return found;
    if (engine_.get(index_, entry) == key)
      throw Corrupt("the index " + index.name + " of " + table.name.family + " is damaged");
  }
}

template <class R, class Table>
std::vector<R> Rows::records_of(const Table& table, const Range& entries, std::size_t limit) const {
  std::vector<R> records;
  if (limit == 0) return records;
  const auto snapshot = engine_.snapshot();
  std::vector<std::string> found;
  engine_.scan(
      index_, entries,
      [&](std::string_view, std::string_view key) {
        found.emplace_back(key);
        return found.size() < limit;
      },
      snapshot.get());
  auto bytes = engine_.multi_get(family(table.name.family), found, snapshot.get());
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
  each_raw(table.name.family, [&](std::string_view key, std::string_view bytes) {
    return visit(decode<R>(bytes, {&sealer_, table.name.number, key}));
  });
}

}  // namespace store
