// API keys of users: sk_<id>_<secret>. The id names the owner, so that validating a key takes one lookup.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/records.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace keys {

struct ApiKey {
  std::int64_t user_id = 0;
  std::string id;  // the owner's id, 'k', 12 random characters
  std::string name;
  std::string prefix;       // the part that lists show: sk_<id>
  std::string secret_hash;  // SHA-256 in hex; with 248 random bits a slow hash would add nothing
  store::Time created_at{};
  std::optional<store::Time> last_used_at;  // within a minute
  std::optional<store::Time> expires_at;
  std::optional<std::int64_t> monthly_budget;     // for model calls with it, per calendar month: Money::units
  std::optional<std::vector<std::string>> tools;  // that MCP clients may call with it; none: those that only read
};
BOOST_DESCRIBE_STRUCT(ApiKey, (),
                      (user_id, id, name, prefix, secret_hash, created_at, last_used_at, expires_at, monthly_budget,
                       tools))

inline const store::Owned<ApiKey> api_keys{{.family = "api_keys", .number = 3}, &ApiKey::user_id, &ApiKey::id, {}};

inline constexpr std::int64_t keys_per_user = 100;

struct Created {
  ApiKey key;
  std::string secret;  // the whole key, shown only once
};

struct Valid {
  std::shared_ptr<const ApiKey> key;
  std::shared_ptr<const accounts::User> user;
};

// Callable from every thread; must not outlive the store.
class Keys {
 public:
  explicit Keys(store::System system) : system_(std::move(system)) {}

  // For the caller of a session. unauthenticated: it has ended. too_many: the user has `keys_per_user` keys.
  web::Task<web::Result<Created>> create(web::Caller, std::string name, std::optional<store::Time> expires_at,
                                         std::optional<std::int64_t> monthly_budget = {},
                                         std::optional<std::vector<std::string>> tools = {});
  // Newest first.
  std::vector<ApiKey> list(store::UserId) const;
  // Null if there is no such key.
  std::shared_ptr<const ApiKey> find(store::UserId, std::string_view id) const;
  // not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // Removes all keys of the user as part of a change.
  void remove_all(store::UserId, store::Change&) const;

  // The key and its owner; nothing if the key is malformed, unknown, wrong or expired, or its owner is gone or
  // disabled. Records the use, which flush_uses writes.
  std::optional<Valid> validate(std::string_view key);
  // Writes the recorded times of use, relaxed: they may be lost.
  web::Task<> flush_uses();

 private:
  store::System system_;
  std::mutex mutex_;
  std::map<std::pair<store::UserId, std::string>, store::Time> uses_;  // protected by mutex_
};

}  // namespace keys
