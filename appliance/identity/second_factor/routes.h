#pragma once

#include <functional>
#include <vector>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/guards.h"
#include "appliance/identity/second_factor/second_factor.h"
#include "appliance/identity/second_factor/step_up.h"
#include "appliance/identity/site.h"
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

// The caller, who has proved once more to be that; a refusal is noted, with `what` was to be set up. Errors of
// step_up.
web::Task<web::Result<accounts::User>> proved_user(Services, const web::Request&, std::string what, ProofAgain);

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
