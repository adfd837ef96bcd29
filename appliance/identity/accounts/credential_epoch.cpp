#include "appliance/identity/accounts/credential_epoch.h"

#include "appliance/identity/accounts/live_session.h"

namespace accounts {

namespace {

const store::CounterName credentials_added{"grants"};  // of a user, ever

}  // namespace

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
