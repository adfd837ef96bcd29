// Passkeys as a second factor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/records.h"
#include "appliance/identity/second_factor/challenges.h"
#include "appliance/identity/second_factor/passkey_options.h"
#include "appliance/identity/second_factor/records.h"
#include "appliance/identity/site.h"
#include "appliance/identity/webauthn/ceremony.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace second_factor {

inline constexpr std::int64_t passkeys_per_user = 20;

// Callable from every thread; the arguments must outlive it.
class Passkeys {
 public:
  // `key` derives challenges and user handles; with another key the box does not recognise the users of its passkeys.
  Passkeys(store::System system, const agentbox::Site& site, security::ReplayGuard& replay_guard, std::string key)
      : system_(std::move(system)), site_(site), key_(std::move(key)), challenges_(key_, replay_guard) {}

  // Why the page of this origin can use no passkeys. conflict, PASSKEY_ADDRESS, with the `url` where they work: it is
  // of another origin; one that is empty passes, since browsers send it. unavailable: the box is known by an IP
  // address, but browsers bind passkeys to domain names.
  std::optional<web::Error> refuse_origin(std::string_view origin) const;
  // unavailable, as refuse_origin.
  web::Result<CreationOptions> creation_options(const accounts::User&) const;
  // Nothing for a user without passkeys and without a domain name.
  std::optional<RequestOptions> request_options(store::UserId, Purpose) const;

  struct Added {
    Passkey passkey;
    std::vector<std::string> recovery_codes;  // shown only once; empty if the user still has some
  };
  // For the caller of a session. Errors of webauthn::verify_registration. unauthenticated: the session has ended.
  // invalid: the challenge was used. conflict: the passkey is registered already. too_many: the user has
  // `passkeys_per_user`.
  web::Task<web::Result<Added>> add(web::Caller, std::string name, webauthn::Created);
  // Oldest first.
  std::vector<Passkey> list(store::UserId) const;
  // not_found.
  web::Task<web::Result<Passkey>> rename(store::UserId, std::string id, std::string name);
  // Recovery codes are removed with the last factor. not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);

  // Succeeds once for each assertion by one of the user's passkeys. Errors of webauthn::verify_assertion. invalid: it
  // is not a passkey of the user, or the challenge was used.
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
