// Step-up authentication: the caller of a session proves again to be its user before a change that could take the
// account away.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <optional>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace second_factor {

// The password, if the user has one, and the second factor, if it is on.
struct StepUpProof {
  std::optional<web::Text<1, 256>> currentPassword;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(StepUpProof, (), (currentPassword, code, passkey))

// How old the sign-in of a user without a password may be.
inline constexpr std::chrono::minutes fresh_for{10};

// For the caller of a session. forbidden, FRESH_SIGN_IN_REQUIRED: the user has no password, and the session is older
// than `fresh_for`. unauthenticated: the user is gone. Else the errors of Accounts::prove_password and
// SecondFactor::check.
web::Task<web::Result<accounts::User>> step_up(accounts::Accounts&, const accounts::Sessions&, SecondFactor&,
                                               web::Caller, StepUpProof);

// Describes rows whose body is or contains a `StepUpProof` or a `Proof`.
inline constexpr const char* proof_description =
    "Users without a password must have signed in within the last ten minutes; otherwise the answer is 403, "
    "FRESH_SIGN_IN_REQUIRED. Users with a second factor prove it with `code` (the app's or a recovery code) or "
    "`passkey`; without either the answer is 401, SECOND_FACTOR_REQUIRED, with `passkey` as in sign-in.";

}  // namespace second_factor
