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
// Bytes on disk. Record key: owner as 8 bytes big-endian (Owned only), then the id's bytes. Record value: JSON object of
// the described members; members unknown to this binary are kept on update. Index family: table number (1 byte), index
// number (1 byte), owner (8 bytes, when the index is scoped to the owner), value bytes with 0x00 escaped as 0x00 0xFF,
// 0x00 0x00, then for a non-unique index the record key; the entry's value is the record key. Integers and times in
// indexes are 8 bytes big-endian with the sign bit flipped, so they order as numbers. Numbers are never reused.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/codec.h"
#include "store/engine.h"

namespace store {

using UserId = std::int64_t;

struct TableName {
  std::string family;     // column family
  std::uint8_t number;    // in index keys; never reused
};

// One secondary index. Empty optionals and empty strings are not indexed.
template <class R>
struct Index {
  std::uint8_t number;
  std::string name;
  bool is_unique = false;                               // across all owners
  bool is_scoped = false;                               // lookups name the owner: for lists by a field within a tenant
  std::function<std::optional<std::string>(const R&)> key;  // encoded value, nothing: no entry
};

// Unique over the whole table, whoever owns the record.
template <class R, class V>
Index<R> unique(std::uint8_t number, std::string name, V R::*member);
// Not unique, over the whole table: reachable through System only.
template <class R, class V>
Index<R> index(std::uint8_t number, std::string name, V R::*member);
// Not unique, within an owner: reachable through Tenant and System.
template <class R, class V>
Index<R> scoped(std::uint8_t number, std::string name, V R::*member);

// Records that belong to a user. The owner is the first part of every key.
template <class R>
struct Owned {
  TableName name;
  UserId R::*owner;
  std::string R::*id;
  std::vector<Index<R>> indexes;
};
// Records of the box itself: sessions by hash, users, jobs. Reached through System only. Ids may be strings or integers.
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
  R* operator->() { return &value; }
  const R* operator->() const { return &value; }
};

struct Page {
  std::size_t limit = 100;
  std::string after;          // id of the last record of the page before; empty: from the start
  bool newest_first = false;  // descending key order
};

struct Outcome {
  enum class Kind { committed, stale, duplicate, over_bound };
  Kind kind = Kind::committed;
  std::string index;  // duplicate: name of the unique index, or "id"; over_bound: the counter's name
  bool ok() const { return kind == Kind::committed; }
  bool duplicate(std::string_view name) const { return kind == Kind::duplicate && index == name; }
};

}  // namespace store
