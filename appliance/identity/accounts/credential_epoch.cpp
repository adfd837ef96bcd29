#include "appliance/identity/accounts/credential_epoch.h"

#include "appliance/identity/accounts/live_session.h"

namespace accounts {

namespace {

const store::CounterName grants{"grants"};  // of a user: how many there ever were

}  // namespace

web::Result<void> advance_credential_epoch(const store::System& system, const web::Caller& caller,
                                           store::Change& change) {
  advance_credential_epoch(caller.user_id, change);
  return require_session(system, caller, change);
}

void advance_credential_epoch(store::UserId user, store::Change& change) { change.add(user, grants, 1); }

CredentialEpoch::CredentialEpoch(const store::System& system, store::UserId user)
    : user_(user), count_(system.counter(user, grants)) {}

void CredentialEpoch::require_unchanged(store::Change& change) const { change.add(user_, grants, 0, count_); }

}  // namespace accounts
