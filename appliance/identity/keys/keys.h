// User API keys: sk_<id>_<secret>. The id names the owner, so that validating a key is one lookup.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/records.h"
#include "store/store.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace keys {

struct ApiKey {
  std::int64_t user_id = 0;
  std::string id;  // the owner's id, 'k', 12 random characters
  std::string name;
  std::string prefix;       // what a list shows of the key: sk_<id>
  std::string secret_hash;  // SHA-256 in hex; the secret has 248 random bits, so a slow hash would add nothing
  store::Time created_at{};
  std::optional<store::Time> last_used_at;  // within a minute
  std::optional<store::Time> expires_at;
  std::optional<std::int64_t> monthly_budget;  // what model calls with it may cost in a calendar month: Money::units
};
BOOST_DESCRIBE_STRUCT(ApiKey, (),
                      (user_id, id, name, prefix, secret_hash, created_at, last_used_at, expires_at, monthly_budget))

inline const store::Owned<ApiKey> api_keys{{.family = "api_keys", .number = 3}, &ApiKey::user_id, &ApiKey::id, {}};

inline constexpr std::int64_t keys_per_user = 100;

struct Created {
  ApiKey key;
  std::string secret;  // the whole key, shown this once
};

struct Valid {
  std::shared_ptr<const ApiKey> key;
  std::shared_ptr<const accounts::User> user;
};

// Callable from every thread; must not outlive the store.
class Keys {
 public:
  explicit Keys(store::System system) : system_(std::move(system)) {}

  // For the caller of a session. unauthenticated: it has ended; too_many when the user has `keys_per_user`.
  web::Task<web::Result<Created>> create(web::Caller, std::string name, std::optional<store::Time> expires_at,
                                         std::optional<std::int64_t> monthly_budget = {});
  // Newest first.
  std::vector<ApiKey> list(store::UserId) const;
  // Null: no such key.
  std::shared_ptr<const ApiKey> find(store::UserId, std::string_view id) const;
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // All of the user's, as part of a change.
  void remove_all(store::UserId, store::Change&) const;

  // The key and its owner; nothing for a key that is malformed, unknown, wrong, expired, or whose owner is gone or
  // disabled. Notes the use, which flush_uses writes.
  std::optional<Valid> validate(std::string_view key);
  // Writes the noted times of use, relaxed: they may be lost.
  web::Task<> flush_uses();

 private:
  store::System system_;
  std::mutex mutex_;
  std::map<std::pair<store::UserId, std::string>, store::Time> uses_;  // protected by mutex_
};

}  // namespace keys
