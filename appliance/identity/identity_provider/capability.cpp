#include "appliance/foundation/crypto/hmac.h"
#include "appliance/identity/identity_provider/identity_provider.h"
#include "appliance/identity/module.h"
#include "appliance/identity/oauth/routes.h"

namespace identity_provider {

namespace {

const oauth::RouteNames names{.path = "/api/auth/idp", .error_prefix = "Idp", .title = "identity provider"};

oauth::Client client_of(const agentbox::Settings& settings) {
  return {.id = settings.idp_client_id.empty() ? "" : settings.idp_client_id.front(),
          .secret = settings.idp_client_secret};
}

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        issuer(module.platform.settings.idp_issuer),
        provider(issuer, client_of(module.platform.settings),
                 {crypto::derived_key(module.platform.master_key, "identity provider visits"), "agentbox-idp",
                  module.replay_guard},
                 module.identities, module.site) {}
  oauth::Services services() { return {provider, identity.sign_in}; }

  identity::Module& identity;
  oidc::Provider issuer;
  IdentityProvider provider;
};

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<oauth::Services>& on) {
  return oauth::web_routes(guards, on, names);
}

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace identity_provider
