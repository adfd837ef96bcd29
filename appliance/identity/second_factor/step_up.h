// Proving once more to be whom the session says, before what could take the account away is changed.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <optional>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace second_factor {

// The password of who has one and, for who has a second factor, that too.
struct ProofAgain {
  std::optional<web::Text<1, 256>> currentPassword;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(ProofAgain, (), (currentPassword, code, passkey))

// How old the sign-in of who has no password may be.
inline constexpr std::chrono::minutes fresh_for{10};

// The caller of a session. Who has no password has signed in a moment ago, else forbidden: FRESH_SIGN_IN_REQUIRED.
// Errors of Accounts::prove_password and SecondFactor::check; unauthenticated: the user is gone.
web::Task<web::Result<accounts::User>> step_up(accounts::Accounts&, const accounts::Sessions&, SecondFactor&,
                                               web::Caller, ProofAgain);

// For the rows that have `ProofAgain`, or `Proof`, as their body or as a part of it.
inline constexpr const char* how_to_prove =
    "Who has no password signs in less than ten minutes before, else the answer is 403, FRESH_SIGN_IN_REQUIRED. Who "
    "has a second factor proves it with `code` (the app's or a recovery code) or `passkey`; without either the answer "
    "is 401, SECOND_FACTOR_REQUIRED, with `passkey` as of sign-in.";

}  // namespace second_factor
