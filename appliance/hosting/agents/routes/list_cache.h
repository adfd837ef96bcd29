// The list last answered to each user, as text, for as long as none of that user's agents changes: consoles ask for it
// again and again.
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

// Callable from every thread. Holds at most `most_bytes` of text; any user makes room for another.
class ListCache {
 public:
  using Text = std::shared_ptr<const std::string>;

  // The remembered text when `version` is still the one it was made at; else what `make` answers, remembered. Take the
  // version before `make` reads.
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
