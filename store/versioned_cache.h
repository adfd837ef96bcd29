// Decoded records that are read far more often than written, such as users, sessions and keys, which are looked up for
// every request.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace store {

// Values by key, each with the Engine::version of its part of the store from before it was read. Callable from every
// thread.
template <class V, class Key>
class VersionedCache {
 public:
  using Value = std::shared_ptr<const V>;

  // The value cached with that version, else the result of `read`, an optional V. Null: `read` found nothing. That is
  // not cached, since clients may ask for any number of keys that do not exist.
  template <class Read>
  Value get(const Key& key, std::uint64_t version, const Read& read) {
    auto& shard = shards_[std::hash<Key>()(key) % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      const auto cached = shard.values.find(key);
      if (cached != shard.values.end() && cached->second.version == version) return cached->second.value;
    }
    auto found = read();
    if (!found) return nullptr;
    auto value = std::make_shared<const V>(std::move(*found));
    const std::lock_guard lock(shard.mutex);
    if (shard.values.size() >= max_in_shard) shard.values.clear();  // those in use come back soon
    shard.values.insert_or_assign(key, Cached{version, value});
    return value;
  }

 private:
  static constexpr std::size_t max_in_shard = 512;
  struct Cached {
    std::uint64_t version = 0;
    Value value;
  };
  struct Shard {
    std::mutex mutex;
    boost::unordered_flat_map<Key, Cached, std::hash<Key>> values;  // mixes the result of std::hash
  };
  std::array<Shard, 16> shards_;
};

}  // namespace store
