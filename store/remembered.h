// Records kept as they were decoded, of tables that are read far more often than written: people, their sessions and
// their keys are looked up for every request.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "store/store.h"

namespace store {

// Records by what finds them again, each with the version of its part of the store that was asked for before it was
// read (Engine::version). Callable from every thread.
template <class R, class Key>
class Memory {
 public:
  using Record = std::shared_ptr<const R>;

  // What is known at that version, or what `read` answers: an optional row. Null: no such record. What is not there is
  // not remembered: anybody can ask for that.
  template <class Read>
  Record get(const Key& key, std::uint64_t version, const Read& read) {
    auto& shard = shards_[boost::hash<Key>()(key) % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      const auto known = shard.records.find(key);
      if (known != shard.records.end() && known->second.version == version) return known->second.record;
    }
    auto row = read();
    if (!row) return nullptr;
    auto record = std::make_shared<const R>(std::move(row->value));
    const std::lock_guard lock(shard.mutex);
    if (shard.records.size() >= most_in_shard) shard.records.clear();  // those in use are known again soon
    shard.records.insert_or_assign(key, Known{version, record});
    return record;
  }

 private:
  static constexpr std::size_t most_in_shard = 512;
  struct Known {
    std::uint64_t version = 0;
    Record record;
  };
  struct Shard {
    std::mutex mutex;
    boost::unordered_flat_map<Key, Known> records;
  };
  std::array<Shard, 16> shards_;
};

// Answers what the table holds at the moment of asking: what was read before is given again only while nobody has
// written to that part of the table since. Callable from every thread; must not outlive the store.
template <class R, class Id>
class Remembered {
 public:
  Remembered(System system, const Global<R, Id>& table) : system_(std::move(system)), table_(table) {}

  // Null: no such record.
  std::shared_ptr<const R> get(const Id& id) const {
    return memory_.get(id, system_.version(table_, id), [&] { return system_.get(table_, id); });
  }

 private:
  System system_;
  const Global<R, Id>& table_;
  mutable Memory<R, Id> memory_;
};

// The same for records that belong to a user; those of one user count as one part.
template <class R>
class RememberedOwned {
 public:
  RememberedOwned(System system, const Owned<R>& table) : system_(std::move(system)), table_(table) {}

  std::shared_ptr<const R> get(UserId owner, std::string_view id) const {
    const auto tenant = system_.tenant(owner);
    return memory_.get({owner, std::string(id)}, tenant.version(table_), [&] { return tenant.get(table_, id); });
  }

 private:
  System system_;
  const Owned<R>& table_;
  mutable Memory<R, std::pair<UserId, std::string>> memory_;
};

}  // namespace store
