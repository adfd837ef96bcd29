// Users' own keys at providers (bring your own key). Calls with them are billed to the user's account there and do not
// count towards the plan's quota.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "store/versioned_cache.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

struct ProviderKey {
  std::int64_t user_id = 0;
  std::string id;     // the provider: openrouter, anthropic, openai, google
  store::Sealed key;  // never shown again
  std::string hint;   // its last four characters
  store::Time updated_at{};
  bool is_set_aside = false;  // stored but not used
};
BOOST_DESCRIBE_STRUCT(ProviderKey, (), (user_id, id, key, hint, updated_at, is_set_aside))

inline const store::Owned<ProviderKey> provider_keys{
    {.family = "provider_keys", .number = 63}, &ProviderKey::user_id, &ProviderKey::id, {}};

// Callable from every thread; must not outlive the store.
class ProviderKeys {
 public:
  explicit ProviderKeys(store::System system) : system_(std::move(system)) {}

  std::vector<ProviderKey> list(store::UserId user) const { return system_.tenant(user).list(provider_keys); }
  // Not set: there is none, or it is set aside.
  std::optional<std::string> find(store::UserId, std::string_view provider) const;
  // For the caller of a session. The key is in use at once, even if the previous one was set aside. unauthenticated:
  // the session has ended; invalid, naming the field: no such provider, or not a possible key.
  web::Task<web::Result<ProviderKey>> put(web::Caller, std::string provider, std::string key);
  // All of the user's keys. They stay stored, sealed.
  web::Task<> disable(store::UserId);
  web::Task<> enable(store::UserId);
  // Returns false if there is none.
  web::Task<bool> remove(store::UserId, std::string provider);
  // Removes all of the user's keys as part of a change.
  static void remove_all(store::System, store::UserId, store::Change&);

 private:
  using Names = std::vector<std::string>;

  // Cached, since every call needs it and most users have no keys.
  bool has_in_use(store::UserId, std::string_view provider) const;
  web::Task<> set_all(store::UserId, bool aside);

  store::System system_;
  mutable store::VersionedCache<Names, store::UserId> in_use_;  // the providers, never the keys
};

}  // namespace models
