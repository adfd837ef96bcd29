// Typed tables over the Engine, and the two views through which records are reached.
//
//   struct Agent { std::int64_t owner; std::string id; std::string subdomain; std::string status; };
//   BOOST_DESCRIBE_STRUCT(Agent, (), (owner, id, subdomain, status))
//
//   inline const store::Owned<Agent> agents{{.family = "agents", .number = 5}, &Agent::owner, &Agent::id,
//       {store::unique<Agent>(1, "subdomain", &Agent::subdomain), store::index<Agent>(2, "status", &Agent::status)}};
//
//   auto row = tenant.get(agents, id);              // std::optional<Row<Agent>>, own records only
//   row->value.status = "running";
//   auto change = tenant.change();
//   change.update(agents, *row);                    // refused as stale when someone else wrote in between
//   change.add(counters::agents, 1);
//   auto outcome = co_await change.commit();
//   if (outcome.duplicate("subdomain")) ...
//
// Bytes on disk. Record key: owner as 8 bytes big-endian (Owned only), then the id's bytes. Record value: JSON object
// of the described members; members unknown to this binary are kept on update. Index family: table number (1 byte),
// index number (1 byte), owner (8 bytes, when the index is scoped to the owner), value bytes with 0x00 escaped as 0x00
// 0xFF, 0x00 0x00, then for a non-unique index the record key; the entry's value is the record key. Integers and times
// in indexes are 8 bytes big-endian with the sign bit flipped, so they order as numbers. Numbers are never reused.
#pragma once

#include <any>
#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "store/codec.h"
#include "store/engine.h"
#include "store/keys.h"
#include "store/versioned_cache.h"

namespace store {

using UserId = std::int64_t;

struct TableName {
  std::string family;   // column family
  std::uint8_t number;  // in index keys; never reused
  Access access = Access::general;
};

// Ordered bytes of an index value; nothing for what is not indexed: empty optionals and empty strings.
std::string ordered_bytes(std::int64_t);
template <class V>
std::optional<std::string> index_value(const V& value) {
  if constexpr (codec::is_optional<V>) {
    return value ? index_value(*value) : std::nullopt;
  } else if constexpr (std::is_convertible_v<const V&, std::string_view>) {
    const std::string_view text = value;
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  } else if constexpr (std::is_same_v<V, Time>) {
    return ordered_bytes(value.time_since_epoch().count());
  } else if constexpr (codec::DescribedEnum<V>) {
    return boost::describe::enum_to_string(value, "");
  } else {
    static_assert(std::is_integral_v<V>, "store: this type cannot be indexed");
    return ordered_bytes(static_cast<std::int64_t>(value));
  }
}

// The position of a member in its record's description.
template <class R, class V>
std::size_t place_of(V R::*member) {
  std::size_t at = 0, found = boost::mp11::mp_size<codec::Members<R>>::value;
  boost::mp11::mp_for_each<codec::Members<R>>([&](auto described) {
    if constexpr (std::is_same_v<std::remove_const_t<decltype(described.pointer)>, V R::*>)
      if (described.pointer == member) found = at;
    ++at;
  });
  if (found == at) throw std::logic_error("store: an index of a member that is not described");
  return found;
}

// One secondary index. Empty optionals and empty strings are not indexed.
template <class R>
struct Index {
  std::uint8_t number;
  std::string name;
  bool is_unique = false;  // across all owners
  bool is_scoped = false;  // lookups name the owner: for lists by a field within a tenant
  std::function<std::optional<std::string>(const R&)> key;  // encoded value, nothing: no entry
  std::optional<std::size_t> member{};                      // when the key depends on one member alone: its place_of
};

// Unique over the whole table, across all owners.
template <class R, class V>
Index<R> unique(std::uint8_t number, std::string name, V R::*member) {
  return {
      number,          std::move(name), true, false, [member](const R& record) { return index_value(record.*member); },
      place_of(member)};
}
// Not unique, over the whole table: reachable through System only.
template <class R, class V>
Index<R> index(std::uint8_t number, std::string name, V R::*member) {
  return {
      number,          std::move(name), false, false, [member](const R& record) { return index_value(record.*member); },
      place_of(member)};
}
// Not unique, within an owner: reachable through Tenant and System.
template <class R, class V>
Index<R> scoped(std::uint8_t number, std::string name, V R::*member) {
  return {
      number,          std::move(name), false, true, [member](const R& record) { return index_value(record.*member); },
      place_of(member)};
}

// Records that belong to a user. The owner is the first part of every key.
template <class R>
struct Owned {
  TableName name;
  UserId R::*owner;
  std::string R::*id;
  std::vector<Index<R>> indexes;
};
// Records of the box itself: sessions by hash, users, jobs. Reached through System only. Ids may be strings or
// integers.
template <class R, class Id = std::string>
struct Global {
  TableName name;
  Id R::*id;
  std::vector<Index<R>> indexes;
};

// A record as read, with the bytes it was read from, so that an update can be refused when they changed meanwhile.
template <class R>
struct Row {
  R value;
  std::string stored;
  std::optional<std::uint64_t> version{};  // see Engine::version; from before it was read
  R* operator->() { return &value; }
  const R* operator->() const { return &value; }
};

// Rows by their keys.
template <class R>
using RowCache = VersionedCache<Row<R>, std::string>;

struct Page {
  std::size_t limit = 100;
  std::string after;          // id of the last record of the page before; empty: from the start
  bool newest_first = false;  // descending key order
};

// A named 64-bit counter, summed without read-modify-write, or a tally of several. The name may hold the period:
// "tokens/2026-11".
struct CounterName {
  std::string name;
};

// The most that one field of a counter may hold.
struct Bound {
  std::int64_t most;
  std::size_t field = 0;
};

struct Outcome {
  enum class Kind { committed, stale, duplicate, over_bound };
  Kind kind = Kind::committed;
  std::string index;      // duplicate: name of the unique index, or "id"; over_bound: the counter's name
  std::size_t field = 0;  // over_bound: the field of the counter
  bool ok() const { return kind == Kind::committed; }
  bool duplicate(std::string_view name) const { return kind == Kind::duplicate && index == name; }
};

// A table without its record type: what opening and verifying a store need.
struct TableInfo {
  TableName name;
  bool has_owner;
  // The keys of the index entries that a record of these bytes has. Throws Corrupt.
  std::function<std::vector<std::string>(const Place&, std::string_view bytes)> entries;
  // A new std::shared_ptr<RowCache<R>>.
  std::function<std::any()> new_cache;
};

template <class R, class Table>
TableInfo describe_as(const Table& table, bool has_owner) {
  return {table.name, has_owner,
          [&table, has_owner](const Place& place, std::string_view bytes) {
            const auto record = decode<R>(bytes, place);
            std::vector<std::string> entries;
            for (const auto& index : table.indexes) {
              const auto value = index.key(record);
              if (!value) continue;
              const auto scope = index.is_scoped && has_owner ? place.key.substr(0, 8) : std::string_view();
              auto entry = keys::index_entry(table.name.number, index.number, scope, *value);
              if (!index.is_unique) entry.append(place.key);
              entries.push_back(std::move(entry));
            }
            return entries;
          },
          [] { return std::any(std::make_shared<RowCache<R>>()); }};
}
// The table must outlive the store.
template <class R>
TableInfo describe(const Owned<R>& table) {
  return describe_as<R>(table, true);
}
template <class R, class Id>
TableInfo describe(const Global<R, Id>& table) {
  return describe_as<R>(table, false);
}

}  // namespace store
