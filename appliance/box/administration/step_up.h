// Step-up of a session for what administrators do.
#pragma once

#include "appliance/box/administration/recent_proofs.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/second_factor/step_up.h"
#include "web/result.h"
#include "web/task.h"

namespace administration {

// Callable from every thread; the arguments must outlive it.
class StepUp {
 public:
  StepUp(accounts::Accounts& accounts, const accounts::Sessions& sessions, second_factor::SecondFactor& factor,
         audit::Audit& audit, RecentProofs& proofs)
      : accounts_(accounts), sessions_(sessions), factor_(factor), audit_(audit), proofs_(proofs) {}

  // Until when the proof counts for the actor's session. Errors of second_factor::step_up. Noted in the audit log.
  web::Task<web::Result<store::Time>> prove(audit::Actor, second_factor::StepUpProof);

 private:
  accounts::Accounts& accounts_;
  const accounts::Sessions& sessions_;
  second_factor::SecondFactor& factor_;
  audit::Audit& audit_;
  RecentProofs& proofs_;
};

}  // namespace administration
