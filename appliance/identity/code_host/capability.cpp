#include "appliance/foundation/crypto/hmac.h"
#include "appliance/identity/code_host/code_host.h"
#include "appliance/identity/module.h"
#include "appliance/identity/oauth/routes.h"

namespace code_host {

namespace {

const oauth::RouteNames names{.path = "/api/auth/codehost", .error_prefix = "Codehost", .title = "code host"};

struct Parts {
  explicit Parts(identity::Module& module) : Parts(module, module.platform.settings) {}
  Parts(identity::Module& module, const agentbox::Settings& settings)
      : identity(module),
        code_host({settings.codehost_base_url, settings.codehost_api_url},
                  {.id = settings.codehost_client_id, .secret = settings.codehost_client_secret, .sends_basic = false},
                  {crypto::derived_key(module.platform.master_key, "code host visits"), "agentbox-codehost",
                   module.replay_guard},
                  module.identities, module.site) {}
  oauth::Services services() { return {code_host, identity.sign_in}; }

  identity::Module& identity;
  CodeHost code_host;
};

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<oauth::Services>& on) {
  return oauth::web_routes(guards, on, names);
}

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace code_host
