#include "appliance/identity/second_factor/step_up.h"

#include "appliance/foundation/trusted_time.h"

namespace second_factor {

namespace {

web::Error sign_in_again() {
  web::Error stale = web::forbidden(
      "This account has no password to ask for: please sign out, sign in again, and do this within ten minutes");
  stale.code = "FRESH_SIGN_IN_REQUIRED";
  return stale;
}

}  // namespace

web::Task<web::Result<accounts::User>> step_up(accounts::Accounts& accounts, const accounts::Sessions& sessions,
                                               SecondFactor& factor, web::Caller caller, StepUpProof given) {
  auto user = accounts.find(caller.user_id);
  if (!user) co_return web::unauthenticated();
  if (!accounts.has_password(*user)) {
    const auto began = sessions.began(caller.credential);
    if (!began || *began + fresh_for <= agentbox::trusted_now()) co_return sign_in_again();
  } else {
    if (!given.currentPassword) co_return web::invalid("currentPassword is required");
    const auto verified = co_await accounts.prove_password(caller, std::move(*given.currentPassword));
    if (!verified) co_return verified.error();
  }
  if (factor.is_on(user->id)) {
    Proof proof{.code = std::move(given.code), .passkey = std::move(given.passkey)};
    const auto checked = co_await factor.check(user->id, std::move(proof), Purpose::change);
    if (!checked) co_return checked.error();
  }
  co_return std::move(*user);
}

}  // namespace second_factor
