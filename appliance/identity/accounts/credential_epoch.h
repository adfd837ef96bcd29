// What lets somebody in besides the password, or read along: API keys, second factors, identities elsewhere, keys at
// model providers. Each is added by a change that counts it, so that who takes all of them away misses none.
#pragma once

#include <cstdint>

#include "appliance/identity/accounts/records.h"
#include "store/store.h"
#include "web/http.h"
#include "web/result.h"

namespace accounts {

// Part of a change that adds one, by the caller of a session: see require_session.
web::Result<void> advance_credential_epoch(const store::System&, const web::Caller&, store::Change&);
// The same without a session, by who has proved to be the user in another way.
void advance_credential_epoch(store::UserId, store::Change&);

// For who takes all of them away: noted before they are looked for, and required of the change. The commit is
// Outcome::over_bound when another was granted in between.
class CredentialEpoch {
 public:
  CredentialEpoch(const store::System&, store::UserId);
  void require_unchanged(store::Change&) const;

 private:
  store::UserId user_;
  std::int64_t count_;
};

}  // namespace accounts
