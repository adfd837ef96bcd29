// Sessions and credentials end by epochs. The session epoch: earlier sessions are over, which the guards check at every
// request, and again changes that add credentials. The credential epoch counts the credentials that are ever added to
// an account besides the password: API keys, second factors, external identities, keys at model providers. A change
// that removes all of them requires the count to be unchanged, so that it misses none.
#pragma once

#include <cstdint>

#include "appliance/access/records.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace accounts {

// An ended session may still have its record: see Sessions::remove_ended.
inline bool is_live(const Session& session, const User& user) { return session.moment >= user.sessions_since; }

// Makes the change depend on the caller's session, so that a request that passed its guard does not take effect after
// all sessions were ended. unauthenticated: the session has ended. If it ends before the commit, the commit is stale.
web::Result<void> require_session(const store::System&, const web::Caller&, store::Change&);
// The same for a change of the caller's own record; `user` is the record as read.
web::Result<void> require_session(const store::System&, const web::Caller&, const User& user, store::Change&);

// Part of a change that adds a credential, for the caller of a session: see require_session.
web::Result<void> advance_credential_epoch(const store::System&, const web::Caller&, store::Change&);
// The same without a session, for a user who was authenticated in another way.
void advance_credential_epoch(store::UserId, store::Change&);

// For a change that removes all credentials. Construct it before reading them. The commit is Outcome::over_bound if
// another was added in between.
class CredentialEpoch {
 public:
  CredentialEpoch(const store::System&, store::UserId);
  void require_unchanged(store::Change&) const;

 private:
  store::UserId user_;
  std::int64_t count_;
};

}  // namespace accounts
