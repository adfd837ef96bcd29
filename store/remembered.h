// Records kept as they were decoded, of tables that are read far more often than written: people and their sessions are
// looked up for every request.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "store/store.h"

namespace store {

// Answers what the table holds at the moment of asking: what was read before is given again only while nobody has
// written to that part of the table since (Engine::version). Callable from every thread; must not outlive the store.
template <class R, class Id>
class Remembered {
 public:
  Remembered(System system, const Global<R, Id>& table) : system_(std::move(system)), table_(table) {}

  // Null: no such record. What is not there is not remembered: anybody can ask for that.
  std::shared_ptr<const R> get(const Id& id) const {
    const auto version = system_.version(table_, id);
    auto& shard = shards_[std::hash<Id>()(id) % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      const auto known = shard.records.find(id);
      if (known != shard.records.end() && known->second.version == version) return known->second.record;
    }
    auto row = system_.get(table_, id);
    if (!row) return nullptr;
    auto record = std::make_shared<const R>(std::move(row->value));
    const std::lock_guard lock(shard.mutex);
    if (shard.records.size() >= most_in_shard) shard.records.clear();  // those in use are known again soon
    shard.records.insert_or_assign(id, Known{version, record});
    return record;
  }

 private:
  static constexpr std::size_t most_in_shard = 512;
  struct Known {
    std::uint64_t version = 0;  // asked for before the record was read
    std::shared_ptr<const R> record;
  };
  struct Shard {
    std::mutex mutex;
    boost::unordered_flat_map<Id, Known> records;
  };

  System system_;
  const Global<R, Id>& table_;
  mutable std::array<Shard, 16> shards_;
};

}  // namespace store
