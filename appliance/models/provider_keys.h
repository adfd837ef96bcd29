// Users' own keys at providers (bring your own key): calls with them go on the user's account there, and are no part of
// the plan's quota.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "store/versioned_cache.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

struct ProviderKey {
  std::int64_t user_id = 0;
  std::string id;     // the provider: openrouter, anthropic, openai, google
  store::Sealed key;  // never shown again
  std::string hint;   // its last four characters
  store::Time updated_at{};
  bool is_set_aside = false;  // kept, but nobody is asked with it
};
BOOST_DESCRIBE_STRUCT(ProviderKey, (), (user_id, id, key, hint, updated_at, is_set_aside))

inline const store::Owned<ProviderKey> provider_keys{
    {.family = "provider_keys", .number = 63}, &ProviderKey::user_id, &ProviderKey::id, {}};

// Callable from every thread; must not outlive the store.
class ProviderKeys {
 public:
  explicit ProviderKeys(store::System system) : system_(std::move(system)) {}

  std::vector<ProviderKey> list(store::UserId user) const { return system_.tenant(user).list(provider_keys); }
  // Nothing: there is none, or it is set aside.
  std::optional<std::string> find(store::UserId, std::string_view provider) const;
  // For the caller of a session: in use from now on, whatever became of the one before. unauthenticated: the session
  // has ended; invalid, naming the field: nobody takes such a key.
  web::Task<web::Result<ProviderKey>> put(web::Caller, std::string provider, std::string key);
  // All of the user's keys at once. They stay sealed where they are.
  web::Task<> set_aside(store::UserId);
  web::Task<> take_up(store::UserId);
  // False: there is none.
  web::Task<bool> remove(store::UserId, std::string provider);
  // All of the user's, as part of a change.
  static void remove_all(store::System, store::UserId, store::Change&);

 private:
  using Names = std::vector<std::string>;

  // Asked for with every call, of users who mostly have none.
  bool has_in_use(store::UserId, std::string_view provider) const;
  web::Task<> set_all(store::UserId, bool aside);

  store::System system_;
  mutable store::VersionedCache<Names, store::UserId> in_use_;  // the providers whose keys are, never the keys
};

}  // namespace models
