// Caches models' answers to identical requests. Off by default; each user has a separate cache. In memory only: on
// disk it would hold conversations where no user can see or delete them.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "appliance/models/chat.h"
#include "appliance/models/model_router.h"
#include "store/store.h"
#include "store/versioned_cache.h"
#include "web/task.h"

namespace models {

// One row per user.
struct CacheSetting {
  std::int64_t user_id = 0;
  std::string id = "cache";  // record id within the owner; there is one
  std::int64_t minutes = 0;  // lifetime of an answer; 0: off
};
BOOST_DESCRIBE_STRUCT(CacheSetting, (), (user_id, id, minutes))

inline const store::Owned<CacheSetting> cache_wishes{
    {.family = "cache_wishes", .number = 64}, &CacheSetting::user_id, &CacheSetting::id, {}};

// Callable from every thread; must not outlive the store.
class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;
  // Evicts the least recently used answers beyond `max_bytes`.
  explicit AnswerCache(store::System system, std::size_t max_bytes = 32u << 20)
      : system_(std::move(system)), max_bytes_(max_bytes) {}

  std::chrono::minutes lifetime(store::UserId) const;
  web::Task<> set_lifetime(store::UserId, std::chrono::minutes);

  // Covers the user and every byte of the request that may change the answer.
  static std::string key_of(store::UserId, const ChatRequest&, const ModelQuery&);
  // Not set: there is none, or it is older than `lifetime`.
  std::optional<ChatAnswer> find(const std::string& key, std::chrono::minutes lifetime, Clock::time_point now);
  void add(const std::string& key, const ChatAnswer&, Clock::time_point now);

 private:
  struct Entry {
    std::string key;
    ChatAnswer answer;
    Clock::time_point at;
    std::size_t bytes;
  };
  void drop(std::list<Entry>::iterator);

  store::System system_;
  mutable store::VersionedCache<std::int64_t, store::UserId> lifetimes_;  // in minutes
  const std::size_t max_bytes_;
  std::mutex mutex_;         // protects all below
  std::list<Entry> by_use_;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace models
