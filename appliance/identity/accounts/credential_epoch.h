// Counts the credentials that are ever added to an account besides the password: API keys, second factors, external
// identities, keys at model providers. A change that removes all of them requires the count to be unchanged, so that it
// misses none.
#pragma once

#include <cstdint>

#include "appliance/identity/accounts/records.h"
#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace accounts {

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
