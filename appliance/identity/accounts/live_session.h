// Whether a session is still valid: checked by the guards at every request, and again by changes that add credentials.
#pragma once

#include "appliance/identity/accounts/records.h"
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

}  // namespace accounts
