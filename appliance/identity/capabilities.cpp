// What each capability of this module is built of, and what it brings: its tables, its rows, its background work. One
// file, since the order of all of them counts and is read at once.
#include "appliance/identity/capabilities.h"

#include "appliance/access/key_scopes.h"
#include "appliance/access/records.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/accounts/administration.h"
#include "appliance/identity/accounts/handlers.h"
#include "appliance/identity/accounts/self_service.h"
#include "appliance/identity/audit/handlers.h"
#include "appliance/identity/code_host/code_host.h"
#include "appliance/identity/identities/handlers.h"
#include "appliance/identity/identities/personal_data.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/identity_provider/identity_provider.h"
#include "appliance/identity/invites/handlers.h"
#include "appliance/identity/kept_keys.h"
#include "appliance/identity/mail/handlers.h"
#include "appliance/identity/mail/personal_data.h"
#include "appliance/identity/mail/records.h"
#include "appliance/identity/module.h"
#include "appliance/identity/oauth/handlers.h"
#include "appliance/identity/operator_keys/handlers.h"
#include "appliance/identity/personal_data/handlers.h"
#include "appliance/identity/personal_data/records.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/identity/recovery/handlers.h"
#include "appliance/identity/recovery/records.h"
#include "appliance/identity/second_factor/factor_settings.h"
#include "appliance/identity/second_factor/handlers.h"
#include "appliance/identity/second_factor/records.h"
#include "appliance/identity/security_events/handlers.h"
#include "appliance/identity/security_events/records.h"
#include "appliance/identity/sign_in/handlers.h"
#include "appliance/identity/sign_in/sign_in_methods.h"
#include "appliance/identity/social_identity/handlers.h"
#include "appliance/identity/token_gating/handlers.h"
#include "appliance/identity/verification/handlers.h"
#include "appliance/identity/verification/records.h"
#include "appliance/identity/wallet_sign_in/handlers.h"
#include "web/log.h"

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

namespace audit {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "audit", 10min, [&module] { return module.audit_heads.sweep(store::now()); }),
        head_signer(module.platform.home, "audit heads", head_interval,
                    [&module] { return module.audit_heads.sign(); }),
        failure_writer(module.platform.home, "failed attempts", failure_write_interval,
                       [&module] { return module.failures.write(); }) {}

  Services services() { return {identity.audit, identity.audit_heads, identity.platform.blocking}; }
  web::Task<> start() {
    sweep.start();
    head_signer.start();
    failure_writer.start();
    identity.audit_stream.start();
    co_return;
  }
  web::Task<> stop() {
    co_await identity.audit_stream.stop();
    co_await sweep.stop();
    co_await failure_writer.stop();
    co_await head_signer.stop();
    co_await identity.failures.write();
    try {
      co_await identity.audit_heads.sign();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("audit_head_not_signed", {{"reason", std::string(error.what())}});
    }
  }

  identity::Module& identity;
  agentbox::Periodic sweep, head_signer, failure_writer;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(entries), store::describe(chain_points),
                                                     store::describe(heads), store::describe(stream_positions)},
                                          .web = web_routes,
                                          .backend = backend_routes});
}

}  // namespace audit

namespace accounts {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        self_service(module.accounts, module.sessions, module.second_factor, module.sign_in, module.devices,
                     module.verification, module.outbox, module.site, module.audit),
        administration(module.platform.system, module.accounts, module.sessions, module.second_factor, module.audit),
        sweep(module.platform.home, "sessions", 10min,
              [&module]() -> web::Task<> { co_await module.sessions.sweep(store::now()); }) {
    self_service.find_admins_in(module.platform.system, module.platform.blocking);
    module.personal_data.add({.write = [&module](store::UserId user, personal_data::Archive& archive) -> web::Task<> {
      const auto found = module.accounts.find(user);
      if (!found) co_return;
      std::string profile = boost::json::serialize(personal_data::exported(*found)) + "\n";
      co_await archive.add("profile.json", std::move(profile));
    }});
  }

  Services services() {
    return {identity.accounts,
            identity.sessions,
            self_service,
            administration,
            identity.plans(),
            identity.platform.blocking,
            [this](const User& user) { return identity.second_factor_due(user); }};
  }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  identity::Module& identity;
  SelfService self_service;
  Administration administration;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(users), store::describe(sessions), store::describe(session_origins),
                  store::describe(identity::kept_keys)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace accounts

namespace invites {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "invites", 10min, [&module] { return module.invites.sweep(store::now()); }) {}

  Services services() { return {identity.invites, identity.accounts, identity.audit, identity.platform.blocking}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  identity::Module& identity;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace invites

namespace keys {

namespace {

using namespace std::chrono_literals;

struct Services {};  // the rows are those of billing, which knows what keys have cost

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module), uses(module.platform.home, "uses of keys and sessions", 30s, [this] { return flush(); }) {
    module.personal_data.add(personal_data::rows_of(module.platform.system, api_keys, key_scopes::key_scopes));
  }

  Services services() { return {}; }
  web::Task<> start() {
    uses.start();
    co_return;
  }
  web::Task<> stop() {
    co_await uses.stop();
    try {
      co_await flush();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("uses_not_written", {{"reason", std::string(error.what())}});
    }
  }

  web::Task<> flush() {
    co_await identity.keys.flush_uses();
    co_await identity.sessions.flush_uses();
  }

  identity::Module& identity;
  agentbox::Periodic uses;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(api_keys), store::describe(key_scopes::key_scopes)}});
}

}  // namespace keys

namespace operator_keys {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module), uses(module.platform.home, "uses of operator keys", 30s, [&module] {
          return module.operator_keys.flush_uses();
        }) {}

  Services services() { return {identity.operator_keys, identity.audit}; }
  web::Task<> start() {
    uses.start();
    co_return;
  }
  web::Task<> stop() {
    co_await uses.stop();
    try {
      co_await identity.operator_keys.flush_uses();
    } catch (const std::exception& error) {  // a read-only store must not prevent an orderly stop
      web::log::warning("uses_not_written", {{"reason", std::string(error.what())}});
    }
  }

  identity::Module& identity;
  agentbox::Periodic uses;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(operator_keys)}, .backend = backend_routes});
}

}  // namespace operator_keys

namespace identities {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : own(module.platform.system, module.accounts, module.sessions, module.second_factor, module.audit) {
    module.personal_data.add(personal_data_of(module.platform.system));
  }
  Services services() { return {own}; }
  OwnIdentities own;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(identities), store::describe(blocked_identities)}, .web = web_routes});
}

}  // namespace identities

namespace mail {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        sweep(module.platform.home, "mail", 10min, [&module] { return module.outbox.sweep(store::now()); }) {
    module.personal_data.add(personal_data_of(module.platform.system, module.platform.blocking));
  }

  Services services() { return {identity.outbox, identity.platform.blocking}; }
  web::Task<> start() {
    identity.outbox.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await identity.outbox.stop();
  }

  identity::Module& identity;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(mails)}, .backend = backend_routes});
}

}  // namespace mail

namespace recovery {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        recovery(module.platform.system, module.accounts, module.identities, module.second_factor, module.outbox,
                 module.site, module.platform.home),
        sweep(module.platform.home, "recovery", 10min, [this] { return recovery.sweep(store::now()); }) {}

  Services services() { return {recovery, identity.audit}; }
  web::Task<> start() {
    recovery.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await recovery.stop();
  }

  identity::Module& identity;
  Recovery recovery;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(requests), store::describe(tokens)}, .web = web_routes});
}

}  // namespace recovery

namespace verification {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module), sweep(module.platform.home, "verification", 10min, [&module] {
          return module.verification.sweep(store::now());
        }) {}

  Services services() { return {identity.verification, identity.audit}; }
  web::Task<> start() {
    sweep.start();
    co_return;
  }
  web::Task<> stop() { return sweep.stop(); }

  identity::Module& identity;
  agentbox::Periodic sweep;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(tokens)}, .web = web_routes});
}

}  // namespace verification

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
                 module.identities, module.site) {}
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

namespace personal_data {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        rounds(module.platform.home, "departures", 5min, [&module] { return module.account_deletions.finish_all(); }) {}

  Services services() {
    return {identity.personal_data,    identity.account_deletions, identity.accounts,
            identity.sessions,         identity.second_factor,     identity.audit,
            identity.platform.blocking};
  }
  web::Task<> start() {
    rounds.start();
    co_return;
  }
  web::Task<> stop() { return rounds.stop(); }

  identity::Module& identity;
  agentbox::Periodic rounds;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(account_deletions)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace personal_data

namespace identity {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::security::capability(),        ::audit::capability(),          ::accounts::capability(),
      ::invites::capability(),         ::keys::capability(),           ::operator_keys::capability(),
      ::identities::capability(),      ::mail::capability(),           ::recovery::capability(),
      ::verification::capability(),    ::sign_in::capability(),        ::sign_in_methods::capability(),
      ::second_factor::capability(),   ::wallet_sign_in::capability(), ::identity_provider::capability(),
      ::code_host::capability(),       ::token_gating::capability(),   ::social_identity::capability(),
      ::security_events::capability(), ::personal_data::capability(),
  };
}

}  // namespace identity
