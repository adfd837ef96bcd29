// Answers to requests that were asked before, word for word: off unless a user switches it on, and each user's own. In
// memory only.
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

// One row a user.
struct CacheWish {
  std::int64_t user_id = 0;
  std::string id = "cache";  // record id within the owner; there is one
  std::int64_t minutes = 0;  // how long an answer is good for; 0: off
};
BOOST_DESCRIBE_STRUCT(CacheWish, (), (user_id, id, minutes))

inline const store::Owned<CacheWish> cache_wishes{
    {.family = "cache_wishes", .number = 64}, &CacheWish::user_id, &CacheWish::id, {}};

// Callable from every thread; must not outlive the store.
class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;
  // Drops what was used longest ago beyond `most_bytes`.
  explicit AnswerCache(store::System system, std::size_t most_bytes = 32u << 20)
      : system_(std::move(system)), most_bytes_(most_bytes) {}

  std::chrono::minutes lifetime(store::UserId) const;
  web::Task<> set_lifetime(store::UserId, std::chrono::minutes);

  // What the request is known by: whose it is and every byte that could change the answer.
  static std::string name_of(store::UserId, const ChatRequest&, const ModelQuery&);
  // Nothing when there is none, or it is older than `lifetime`.
  std::optional<ChatAnswer> find(const std::string& name, std::chrono::minutes lifetime, Clock::time_point now);
  void keep(const std::string& name, const ChatAnswer&, Clock::time_point now);

 private:
  struct Entry {
    std::string name;
    ChatAnswer answer;
    Clock::time_point at;
    std::size_t bytes;
  };
  void drop(std::list<Entry>::iterator);

  store::System system_;
  mutable store::VersionedCache<std::int64_t, store::UserId> lifetimes_;  // in minutes
  const std::size_t most_bytes_;
  std::mutex mutex_;         // protects all below
  std::list<Entry> by_use_;  // the newest first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_name_;
  std::size_t bytes_ = 0;
};

}  // namespace models
