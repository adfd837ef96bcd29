// Passkeys as a second factor: registered at the settings, asked for at sign-in with a password.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/records.h"
#include "appliance/identity/second_factor/challenges.h"
#include "appliance/identity/second_factor/passkey_options.h"
#include "appliance/identity/second_factor/records.h"
#include "appliance/identity/site.h"
#include "appliance/identity/webauthn/ceremony.h"
#include "web/http.h"
#include "web/result.h"
#include "web/task.h"

namespace second_factor {

inline constexpr std::int64_t passkeys_per_user = 20;

// Callable from every thread; the arguments must outlive it.
class Passkeys {
 public:
  // `key`: what challenges and user handles are made with; a box with another key does not know its passkeys' users.
  Passkeys(store::System system, const agentbox::Site& site, security::ReplayGuard& once, std::string key)
      : system_(std::move(system)), site_(site), key_(std::move(key)), challenges_(key_, once) {}

  // unavailable when the box is known by an address and not by a name: browsers bind passkeys to names.
  web::Result<CreationOptions> creation_options(const accounts::User&) const;
  // Nothing for a user without passkeys, and where there is no name.
  std::optional<RequestOptions> request_options(store::UserId, Purpose) const;

  struct Added {
    Passkey passkey;
    std::vector<std::string> recovery_codes;  // shown this once; empty when the user holds some already
  };
  // For the caller of a session. Errors of webauthn::verify_registration; unauthenticated: the session has ended;
  // invalid: the challenge was used; conflict: the passkey is somebody's already; too_many: the user has
  // `passkeys_per_user`.
  web::Task<web::Result<Added>> add(web::Caller, std::string name, webauthn::Created);
  // The oldest first.
  std::vector<Passkey> list(store::UserId) const;
  // not_found.
  web::Task<web::Result<Passkey>> rename(store::UserId, std::string id, std::string name);
  // The last factor takes the recovery codes with it. not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);

  // Success once for each assertion by one of the user's passkeys. Errors of webauthn::verify_assertion; invalid also
  // for a passkey that is not the user's and for a challenge that was used.
  web::Task<web::Result<void>> check(store::UserId, webauthn::Asserted, Purpose);

 private:
  std::optional<store::Row<Passkey>> find_credential(store::UserId, std::string_view credential_id) const;
  webauthn::RelyingParty party() const;
  std::string user_handle(store::UserId) const;
  std::vector<Descriptor> descriptors(store::UserId) const;

  store::System system_;
  const agentbox::Site& site_;
  const std::string key_;
  Challenges challenges_;
};

}  // namespace second_factor
