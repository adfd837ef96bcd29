#include "appliance/identity/module.h"
#include "appliance/identity/social_identity/routes.h"

namespace social_identity {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : Parts(module, module.platform.settings) {}
  Parts(identity::Module& module, const agentbox::Settings& settings)
      : identity(module),
        social(settings.social_id_issuer,
               {.id = settings.social_id_client_id, .secret = settings.social_id_client_secret}, module.identities,
               module.replay_guard) {}
  Services services() { return {social, identity.gating, identity.sign_in, identity.audit}; }

  identity::Module& identity;
  SocialIdentity social;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace social_identity
