// Values kept as they were made of records, for what is read far more often than written: people, their sessions and
// their keys are looked up for every request.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace store {

// Values by what finds them again, each with the version of its part of the store that was asked for before it was
// read (Engine::version). Callable from every thread.
template <class V, class Key>
class VersionedCache {
 public:
  using Value = std::shared_ptr<const V>;

  // What is known at that version, or what `read` answers: an optional V. Null: nothing, which is not remembered, since
  // anybody can ask for what is not there.
  template <class Read>
  Value get(const Key& key, std::uint64_t version, const Read& read) {
    auto& shard = shards_[std::hash<Key>()(key) % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      const auto known = shard.values.find(key);
      if (known != shard.values.end() && known->second.version == version) return known->second.value;
    }
    auto found = read();
    if (!found) return nullptr;
    auto value = std::make_shared<const V>(std::move(*found));
    const std::lock_guard lock(shard.mutex);
    if (shard.values.size() >= most_in_shard) shard.values.clear();  // those in use are known again soon
    shard.values.insert_or_assign(key, Known{version, value});
    return value;
  }

 private:
  static constexpr std::size_t most_in_shard = 512;
  struct Known {
    std::uint64_t version = 0;
    Value value;
  };
  struct Shard {
    std::mutex mutex;
    boost::unordered_flat_map<Key, Known, std::hash<Key>> values;  // mixes what std::hash says
  };
  std::array<Shard, 16> shards_;
};

}  // namespace store
