// Signing in with a social identity: an ID token that the client got from SOCIAL_ID_ISSUER itself.
#pragma once

#include <string>
#include <string_view>

#include "appliance/identity/identities/identities.h"
#include "appliance/identity/oauth/client.h"
#include "appliance/identity/oidc/id_token.h"
#include "appliance/identity/oidc/provider.h"
#include "appliance/identity/security/replay_guard.h"
#include "web/result.h"
#include "web/task.h"

namespace social_identity {

// Callable from every thread; the arguments must outlive it.
class SocialIdentity {
 public:
  SocialIdentity(std::string issuer, oauth::Client client, identities::Identities& identities,
                 security::ReplayGuard& replay_guard)
      : provider_(std::move(issuer)),
        client_(std::move(client)),
        identities_(identities),
        replay_guard_(replay_guard) {}

  bool is_configured() const { return provider_.is_configured() && !client_.id.empty(); }
  const std::string& issuer() const { return provider_.issuer(); }
  const std::string& client_id() const { return client_.id; }
  accounts::SessionEpoch session_epoch() const { return identities_.session_epoch(); }

  // The subject of the token, accepted once. unauthenticated: it was used before, or the errors of
  // oidc::verify_id_token.
  web::Task<web::Result<oidc::Person>> verify(std::string token);
  // The user of a verified subject that has an address. Errors of Identities::sign_in.
  web::Task<web::Result<accounts::User>> user_of(const oidc::Person&, accounts::SessionEpoch since,
                                                 std::optional<std::string> invite_code);
  // New tokens from the issuer. Errors of oauth::refresh and Provider::endpoints.
  web::Task<web::Result<oauth::Tokens>> refresh(std::string refresh_token);

 private:
  oidc::Provider provider_;
  const oauth::Client client_;
  identities::Identities& identities_;
  security::ReplayGuard& replay_guard_;
};

}  // namespace social_identity
