#include "appliance/access/epochs.h"

#include "appliance/access/keys.h"

namespace accounts {

namespace {

const store::CounterName credentials_added{"grants"};  // of a user, ever

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

web::Result<void> advance_credential_epoch(const store::System& system, const web::Caller& caller,
                                           store::Change& change) {
  advance_credential_epoch(caller.user_id, change);
  return require_session(system, caller, change);
}

void advance_credential_epoch(store::UserId user, store::Change& change) { change.add(user, credentials_added, 1); }

CredentialEpoch::CredentialEpoch(const store::System& system, store::UserId user)
    : user_(user), count_(system.counter(user, credentials_added)) {}

void CredentialEpoch::require_unchanged(store::Change& change) const {
  change.add(user_, credentials_added, 0, count_);
}

}  // namespace accounts
