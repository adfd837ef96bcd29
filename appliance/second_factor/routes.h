#pragma once

#include <functional>
#include <vector>

#include "appliance/accounts/accounts.h"
#include "appliance/audit/audit.h"
#include "appliance/guards.h"
#include "appliance/second_factor/second_factor.h"
#include "appliance/site.h"
#include "web/route.h"

namespace second_factor {

// The services of the rows below; all outlive the rows.
struct Services {
  SecondFactor& factor;
  accounts::Accounts& accounts;
  const accounts::Sessions& sessions;
  audit::Audit& audit;
  const agentbox::Site& site;
  std::function<bool(const accounts::User&)> must_enrol;
  const agentbox::Guards& guards;
};

// Web: the app and the recovery codes, and turning the second factor off.
std::vector<web::Route> routes(Services);
// Web: one's passkeys.
std::vector<web::Route> passkey_routes(Services);

// What sets up a factor: the password of who has one and, for who has a second factor already, that too.
struct Begin {
  std::optional<web::Text<1, 256>> currentPassword;
  std::optional<web::Text<1, 32>> code;
  std::optional<webauthn::Asserted> passkey;
};
BOOST_DESCRIBE_STRUCT(Begin, (), (currentPassword, code, passkey))
// How old the sign-in of who has no password may be.
inline constexpr std::chrono::minutes fresh_for{10};
// The caller, who has proved once more to be that; a refusal is noted, with `what` was to be set up. Who has no
// password has signed in a moment ago, else forbidden: FRESH_SIGN_IN_REQUIRED. Errors of Accounts::prove_password and
// SecondFactor::check.
web::Task<web::Result<accounts::User>> proved_user(Services, const web::Request&, std::string what, Begin);

// For the rows that have `Begin` or `Proof` as their body.
inline constexpr const char* how_to_prove =
    "Who has no password signs in less than ten minutes before, else the answer is 403, FRESH_SIGN_IN_REQUIRED. Who "
    "has "
    "a second factor proves it with `code` (the app's or a recovery code) or `passkey`; without either the "
    "answer is 401, SECOND_FACTOR_REQUIRED, with `passkey` as of sign-in.";

// Shared by the rows that change a second factor.
extern const web::RateLimit factor_changes;
// Notes the act, and how it ended.
web::Task<> note(Services, audit::Entry, std::optional<web::Error>);
template <class T>
std::optional<web::Error> error_of(const web::Result<T>& result) {
  if (result) return std::nullopt;
  return result.error();
}

}  // namespace second_factor
