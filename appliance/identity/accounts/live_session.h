// Whether a session still opens its user's doors: asked by the guards at every request, and once more by what a request
// changes for good.
#pragma once

#include "appliance/identity/accounts/records.h"
#include "store/store.h"
#include "web/http.h"
#include "web/result.h"

namespace accounts {

// The record of one that has ended may still be there: see Sessions::remove_ended.
inline bool is_live(const Session& session, const User& user) { return session.moment >= user.sessions_since; }

// Has the change happen only while the caller's session lives: a request that a guard has let in does not outrun the
// ending of all sessions. unauthenticated: it has ended. One that ends before the commit makes the commit stale.
web::Result<void> require_session(const store::System&, const web::Caller&, store::Change&);
// The same for a change of the caller's own record, which requires it to be as read: `user` is what was read.
web::Result<void> require_session(const store::System&, const web::Caller&, const User& user, store::Change&);

}  // namespace accounts
