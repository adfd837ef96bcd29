// The text of each user's list of agents, valid until one of the user's agents changes. Consoles poll it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "store/table.h"

namespace agents {

// Callable from every thread. Holds at most `most_bytes` of text; the entry to evict is arbitrary.
class ListCache {
 public:
  using Text = std::shared_ptr<const std::string>;

  // The cached text if its version is `version`, else the result of `make`. Read the version before `make` reads.
  Text get(store::UserId user, std::uint64_t version, const std::function<std::string()>& make) {
    auto& shard = shards_[static_cast<std::size_t>(user) % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      const auto found = shard.entries.find(user);
      if (found != shard.entries.end() && found->second.version == version) return found->second.text;
    }
    auto text = std::make_shared<const std::string>(make());
    const std::lock_guard lock(shard.mutex);
    auto& entry = shard.entries[user];
    shard.bytes += text->size() - (entry.text ? entry.text->size() : 0);
    entry = {version, text};
    while (shard.bytes > most_bytes / shards_.size()) {
      const auto any = shard.entries.begin();
      shard.bytes -= any->second.text->size();
      shard.entries.erase(any);
    }
    return text;
  }

 private:
  static constexpr std::size_t most_bytes = 8u << 20;
  struct Entry {
    std::uint64_t version = 0;
    Text text;
  };
  struct Shard {
    std::mutex mutex;  // protects both
    std::unordered_map<store::UserId, Entry> entries;
    std::size_t bytes = 0;
  };
  std::array<Shard, 16> shards_;
};

}  // namespace agents
