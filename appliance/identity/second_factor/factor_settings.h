// The changes that users make to their own second factor. Each requires proof and is written to the audit log.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "appliance/identity/audit/audit.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/second_factor/step_up.h"
#include "web/result.h"
#include "web/task.h"

namespace second_factor {

struct Overview {
  SecondFactor::State state;
  bool is_required = false;  // the user must set one up before anything else
  bool has_password = false;
};

struct AppSecret {
  std::string secret;  // base32
  std::string email;   // the account's, as a label
};

// Every actor is the caller of a session. Besides the errors stated: unauthenticated, the session has ended. Callable
// from every thread; the arguments must outlive it.
class FactorSettings {
 public:
  using MustEnrol = std::function<bool(const accounts::User&)>;
  FactorSettings(SecondFactor& factor, accounts::Accounts& accounts, const accounts::Sessions& sessions,
                 audit::Audit& audit, MustEnrol must_enrol)
      : factor_(factor), accounts_(accounts), sessions_(sessions), audit_(audit), must_enrol_(std::move(must_enrol)) {}

  web::Result<Overview> overview(store::UserId) const;
  std::vector<Passkey> passkeys(store::UserId user) const { return factor_.passkeys().list(user); }

  // Errors of step_up and of the SecondFactor function of the same name.
  web::Task<web::Result<AppSecret>> begin_app(audit::Actor, StepUpProof);
  web::Task<web::Result<std::vector<std::string>>> confirm_app(audit::Actor, std::string code);
  // not_found: no app is in use.
  web::Task<web::Result<void>> remove_app(audit::Actor, Proof);
  // conflict: the second factor is off.
  web::Task<web::Result<std::vector<std::string>>> renew_recovery_codes(audit::Actor, Proof);
  // Removes app, passkeys and recovery codes. conflict: the second factor is off.
  web::Task<web::Result<void>> disable(audit::Actor, Proof);

  // Errors of step_up and of the Passkeys function of the same name.
  // `origin` of the page that asks is checked before the proof, so that it uses up no recovery code in vain. Also the
  // errors of Passkeys::refuse_origin.
  web::Task<web::Result<CreationOptions>> begin_passkey(audit::Actor, std::string origin, StepUpProof);
  web::Task<web::Result<Passkeys::Added>> add_passkey(audit::Actor, std::string name, webauthn::Created);
  web::Task<web::Result<Passkey>> rename_passkey(store::UserId, std::string id, std::string name);
  // not_found, before any proof is asked for.
  web::Task<web::Result<void>> remove_passkey(audit::Actor, std::string id, Proof);

  // step_up, with its failure in the audit log; `factor` is what was to be set up.
  web::Task<web::Result<accounts::User>> verify(audit::Actor, std::string factor, StepUpProof);

 private:
  web::Task<> note(audit::Entry, std::optional<web::Error>);

  SecondFactor& factor_;
  accounts::Accounts& accounts_;
  const accounts::Sessions& sessions_;
  audit::Audit& audit_;
  const MustEnrol must_enrol_;
};

}  // namespace second_factor
