// Accounts, and what is kept of and for them: what each capability is built of, and what it brings.
#include "appliance/identity/capabilities.h"

#include "appliance/access/key_scopes.h"
#include "appliance/access/records.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/accounts/administration.h"
#include "appliance/identity/accounts/handlers.h"
#include "appliance/identity/accounts/self_service.h"
#include "appliance/identity/audit/handlers.h"
#include "appliance/identity/groups/handlers.h"
#include "appliance/identity/identities/handlers.h"
#include "appliance/identity/identities/personal_data.h"
#include "appliance/identity/identities/records.h"
#include "appliance/identity/invites/handlers.h"
#include "appliance/identity/kept_keys.h"
#include "appliance/identity/mail/handlers.h"
#include "appliance/identity/mail/personal_data.h"
#include "appliance/identity/mail/records.h"
#include "appliance/identity/module.h"
#include "appliance/identity/operator_keys/handlers.h"
#include "appliance/identity/personal_data/handlers.h"
#include "appliance/identity/personal_data/records.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/identity/recovery/handlers.h"
#include "appliance/identity/recovery/records.h"
#include "appliance/identity/scim/handlers.h"
#include "appliance/identity/scim/records.h"
#include "appliance/identity/verification/handlers.h"
#include "appliance/identity/verification/records.h"
#include "web/log.h"

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
            identity.plans,
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

  Services services() {
    return {identity.invites, identity.groups, identity.accounts, identity.audit, identity.platform.blocking};
  }
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

namespace groups {

namespace {

struct Parts {
  explicit Parts(identity::Module& module) : identity(module) {
    module.personal_data.add(module.groups.personal_data());
  }

  Services services() { return {identity.groups, identity.accounts, identity.audit}; }

  identity::Module& identity;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>(
      {.tables = {store::describe(table), store::describe(memberships)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace groups

namespace scim {

namespace {

struct Parts {
  explicit Parts(identity::Module& module)
      : identity(module),
        provisioning(module.platform.system, module.accounts, module.identities, module.groups,
                     module.account_deletions, module.audit, module.site, module.platform.blocking) {
    module.personal_data.add(provisioning.personal_data());
  }

  Services services() { return {provisioning, identity.platform.blocking}; }

  identity::Module& identity;
  Provisioning provisioning;
};

}  // namespace

identity::Capability capability() {
  return identity::Capability::of<Parts>({.tables = {store::describe(provisioned_users)}, .web = web_routes});
}

}  // namespace scim

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
