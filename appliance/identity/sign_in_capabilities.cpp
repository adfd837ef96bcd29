// The ways of signing in: what each capability is built of, and what it brings.
#include "appliance/identity/capabilities.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/code_host/code_host.h"
#include "appliance/identity/identity_provider/identity_provider.h"
#include "appliance/identity/module.h"
#include "appliance/identity/oauth/handlers.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/identity/second_factor/factor_settings.h"
#include "appliance/identity/second_factor/handlers.h"
#include "appliance/identity/second_factor/records.h"
#include "appliance/identity/security_events/handlers.h"
#include "appliance/identity/security_events/records.h"
#include "appliance/identity/sign_in/handlers.h"
#include "appliance/identity/sign_in/sign_in_methods.h"
#include "appliance/identity/social_identity/handlers.h"
#include "appliance/identity/token_gating/handlers.h"
#include "appliance/identity/wallet_sign_in/handlers.h"

namespace security {

namespace {

using namespace std::chrono_literals;

struct Services {};

struct Parts {
  explicit Parts(identity::Module& module)
      : sweep(module.platform.home, "replay guard", 10min,
              [&module] { return module.replay_guard.sweep(store::now()); }) {}

  Services services() { return {}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.tables = {store::describe(used_once)}}); }

}  // namespace security

namespace sign_in {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {}
  Services services() { return {identity.sign_in}; }
  identity::Module& identity;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace sign_in

namespace sign_in_methods {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {}
  Services services() { return {identity.platform.settings}; }
  identity::Module& identity;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace sign_in_methods

namespace second_factor {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        settings(module.second_factor, module.accounts, module.sessions, module.audit,
                 [&module](const accounts::User& user) { return module.must_enrol(user); }) {
    module.personal_data.add({.erase = [&module](store::UserId user) { return module.second_factor.remove(user); }});
    module.personal_data.add(personal_data::rows_of(module.platform.system, passkeys));
  }
  Services services() { return {settings, identity.site}; }

  identity::Module& identity;
  FactorSettings settings;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(factors), store::describe(passkeys), store::describe(required_since)},
       .web = web_routes});
}

}  // namespace second_factor

namespace wallet_sign_in {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        nonces(crypto::derived_key(module.platform.master_key, "wallet nonces"), module.replay_guard),
        wallets(nonces, module.rpc, module.identities, module.site) {}
  Services services() { return {wallets, identity.sign_in}; }

  identity::Module& identity;
  Nonces nonces;
  WalletSignIn wallets;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace wallet_sign_in

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
                 module.identities, module.groups, module.site) {}
  oauth::Services services() { return {provider, identity.sign_in, identity.site}; }

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
  oauth::Services services() { return {code_host, identity.sign_in, identity.site}; }

  identity::Module& identity;
  CodeHost code_host;
};

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<oauth::Services>& on) {
  return oauth::web_routes(guards, on, names);
}

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace code_host

namespace token_gating {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {}
  Services services() { return {identity.gating}; }
  identity::Module& identity;
};

}  // namespace

identity::Capability capability() { return identity::Capability::of<Parts>({.web = web_routes}); }

}  // namespace token_gating

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

namespace security_events {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        events(module.platform.system, {module.platform.settings.idp_issuer, module.platform.settings.idp_client_id},
               module.identities, module.accounts, module.sessions, module.audit, module.platform.home),
        sweep(module.platform.home, "security events", 10min, [this] { return events.sweep(store::now()); }) {}

  Services services() { return {events, identity.failures, identity.platform.blocking}; }
  web::Task<> start() {
    events.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await events.stop();
  }

  identity::Module& identity;
  SecurityEvents events;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(received)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace security_events
