#include "appliance/identity/accounts/live_session.h"

#include "appliance/identity/keys/keys.h"

namespace accounts {

namespace {

// For the caller of an API key, which its guard has found valid.
web::Result<void> require_key(const store::System& system, const web::Caller& caller, const User& user,
                              store::Change& change) {
  const auto key = system.get(keys::api_keys, user.id, caller.credential);
  if (!key || user.is_disabled) return web::unauthenticated();
  change.require(keys::api_keys, *key);
  return {};
}

}  // namespace

web::Result<void> require_session(const store::System& system, const web::Caller& caller, store::Change& change) {
  const auto user = system.cached_row(users, caller.user_id);
  if (!user) return web::unauthenticated();
  change.require(users, *user);
  return require_session(system, caller, user->value, change);
}

web::Result<void> require_session(const store::System& system, const web::Caller& caller, const User& user,
                                  store::Change& change) {
  const auto session = system.cached_row(sessions, caller.credential);
  if (!session) return require_key(system, caller, user, change);
  if (session->value.user_id != user.id || user.is_disabled || !is_live(session->value, user))
    return web::unauthenticated();
  change.require(sessions, *session);
  return {};
}

}  // namespace accounts
