// A user's own external identities: which there are, and disconnecting one.
#pragma once

#include <string>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/second_factor/step_up.h"
#include "web/result.h"
#include "web/task.h"

namespace identities {

// Callable from every thread; the arguments must outlive it.
class OwnIdentities {
 public:
  OwnIdentities(store::System system, accounts::Accounts& accounts, const accounts::Sessions& sessions,
                second_factor::SecondFactor& factor, audit::Audit& audit)
      : system_(std::move(system)), accounts_(accounts), sessions_(sessions), factor_(factor), audit_(audit) {}

  // Oldest first.
  std::vector<Identity> list(store::UserId) const;
  // How lists name an identity: the first 16 hex digits of its id's SHA-256.
  static std::string handle(const Identity&);
  // not_found. conflict: nothing would be left to sign in with. Else the errors of step_up.
  web::Task<web::Result<void>> disconnect(audit::Actor, std::string handle, second_factor::StepUpProof);

 private:
  web::Task<web::Result<void>> remove(store::UserId, std::string id) const;

  store::System system_;
  accounts::Accounts& accounts_;
  const accounts::Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  audit::Audit& audit_;
};

}  // namespace identities
