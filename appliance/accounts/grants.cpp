#include "appliance/accounts/grants.h"

#include "appliance/accounts/live_session.h"

namespace accounts {

namespace {

const store::CounterName grants{"grants"};  // of a user: how many there ever were

}  // namespace

web::Result<void> grant(const store::System& system, const web::Caller& caller, store::Change& change) {
  grant(caller.user_id, change);
  return require_session(system, caller, change);
}

void grant(store::UserId user, store::Change& change) { change.add(user, grants, 1); }

GrantsSeen::GrantsSeen(const store::System& system, store::UserId user)
    : user_(user), count_(system.counter(user, grants)) {}

void GrantsSeen::require_no_more(store::Change& change) const { change.add(user_, grants, 0, count_); }

}  // namespace accounts
