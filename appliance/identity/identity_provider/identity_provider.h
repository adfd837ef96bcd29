// Signing in with the identity provider of the box: OpenID Connect's code flow with state, nonce and PKCE.
#pragma once

#include <string>

#include "appliance/identity/groups/groups.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/oauth/browser_flow.h"
#include "appliance/identity/oauth/callback.h"
#include "appliance/identity/oauth/client.h"
#include "appliance/identity/oidc/id_token.h"
#include "appliance/identity/oidc/provider.h"
#include "appliance/identity/site.h"

namespace identity_provider {

// Callable from every thread; the arguments must outlive it.
class IdentityProvider : public oauth::SignInProvider {
 public:
  IdentityProvider(oidc::Provider& provider, oauth::Client client, oauth::BrowserFlow flow,
                   identities::Identities& identities, groups::Groups& groups, const agentbox::Site& site)
      : provider_(provider),
        client_(std::move(client)),
        flow_(std::move(flow)),
        identities_(identities),
        groups_(groups),
        site_(site) {}

  bool is_configured() const override { return provider_.is_configured() && !client_.id.empty(); }
  std::string_view cookie_name() const override { return flow_.cookie_name(); }
  web::Task<web::Result<oauth::AuthorizationRedirect>> begin(oauth::Browser) override;
  web::Task<oauth::CallbackResult> finish(oauth::Browser, oauth::CallbackQuery) override;

  // Identity::id of a subject of this issuer.
  static std::string identity_id(std::string_view issuer, std::string_view subject);

 private:
  web::Task<oauth::CallbackResult> sign_in(oauth::Tokens, std::string nonce, std::optional<std::string> invite_code,
                                           accounts::SessionEpoch since);
  std::string redirect_uri() const { return site_.url("/api/auth/idp/callback"); }

  oidc::Provider& provider_;
  const oauth::Client client_;
  oauth::BrowserFlow flow_;
  identities::Identities& identities_;
  groups::Groups& groups_;
  const agentbox::Site& site_;
};

}  // namespace identity_provider
