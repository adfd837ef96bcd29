#include "appliance/box/administration/step_up.h"

namespace administration {

web::Task<web::Result<store::Time>> StepUp::prove(audit::Actor actor, second_factor::StepUpProof proof) {
  const auto user = co_await second_factor::step_up(accounts_, sessions_, factor_, actor.caller, std::move(proof));
  const bool is_challenge = !user && user.error().code == "SECOND_FACTOR_REQUIRED";  // not an attempt
  if (!is_challenge) {
    auto entry = audit::entry_by(actor, "identity confirmed", "");
    if (!user) entry.outcome = user.error().message;
    co_await audit_.note(std::move(entry));
  }
  if (!user) co_return user.error();
  co_return proofs_.note(actor.caller.credential);
}

}  // namespace administration
