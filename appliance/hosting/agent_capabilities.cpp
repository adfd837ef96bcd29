// Agents themselves, from their creation to the limits of their plans: what each capability is built of, and what it
// brings.
#include "appliance/hosting/capabilities.h"

#include "appliance/access/key_guards.h"
#include "appliance/foundation/periodic.h"
#include "appliance/hosting/agent_administration/handlers.h"
#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/agent_actions.h"
#include "appliance/hosting/agents/handlers.h"
#include "appliance/hosting/agents/personal_data.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/channels/module.h"
#include "appliance/hosting/cloning/handlers.h"
#include "appliance/hosting/deployments/handlers.h"
#include "appliance/hosting/image_catalogue/handlers.h"
#include "appliance/hosting/installations/handlers.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/plan_egress/handlers.h"
#include "appliance/hosting/plan_egress/records.h"
#include "appliance/hosting/plan_limits/plan_limits.h"
#include "appliance/hosting/storage_watch/storage_watch.h"
#include "appliance/hosting/storage_watch/usage_history.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/runtime/watchdog/records.h"

namespace agents {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) {
      return module.billing.caps.forget(user, std::move(agent));
    });
    module.identity.events.sessions_ended.subscribe(
        [&module](store::UserId user) { return module.agents.revocation.sessions_ended(user); });
    module.identity.personal_data.add(
        personal_data_of(module.platform.system, module.agents, module.platform.folder.agents()));
    module.identity.events.account_claim.subscribe(
        [system = module.platform.system](store::UserId user, store::Change& change) { claim(system, user, change); });
    module.identity.events.account_claimed.subscribe(
        [&module](store::UserId user) { module.agents.lifecycle.run_committed_jobs(user); });
  }
  Services services() {
    return {hosting.agents, [system = hosting.platform.system](const web::Caller& caller) {
              return agentbox::agents_of(system, caller);
            }};
  }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(records), store::describe(jobs)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace agents

namespace agent_administration {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() {
    return {hosting.agents, hosting.identity.accounts, hosting.identity.audit, hosting.platform.blocking};
  }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace agent_administration

namespace plan_egress {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.platform.system, hosting.identity.audit}; }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(bounds)}, .backend = backend_routes});
}

}  // namespace plan_egress

namespace watchdog {

namespace {

struct Services {};

struct Parts {  // the watchdog itself belongs to the agents' supervision
  explicit Parts(hosting::Module& module) {
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, watches));
  }
  Services services() { return {}; }
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.tables = {store::describe(watches)}}); }

}  // namespace watchdog

namespace deployments {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        deployments(
            module.agents, module.billing.subscriptions,
            [&module](store::UserId user) { return module.identity.is_admin(user); },
            [&module](store::UserId user, std::string agent, ChannelTokens tokens) {
              return module.channels->make_channels(user, std::move(agent), std::move(tokens));
            }) {}
  Services services() {
    return {deployments, hosting.agents.addresses, hosting.billing.spend_policy, hosting.stream_source()};
  }

  hosting::Module& hosting;
  Deployments deployments;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace deployments

namespace cloning {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : Parts(module, module.platform.settings) {}
  Parts(hosting::Module& module, const agentbox::Settings& settings)
      : hosting(module),
        payment_lookup(settings.payment_rpc_url, settings.payment_receiver, settings.payment_token_address),
        cloning(
            module.platform.system, module.agents.provisioning,
            {module.agents.lifecycle, module.conversations, module.turns}, payment_lookup,
            module.billing.spent_credentials,
            {.is_free_without_chain = settings.clone_payments == "free", .only_own = settings.clone_payer == "linked"},
            [&module](store::UserId user, std::string_view address) {
              const auto identity = module.identity.identities.find("wallet:" + std::string(address));
              return identity && identity->user_id == user && !identity->is_disabled;
            }) {}
  Services services() { return {cloning, hosting.agents.directory, hosting.agents.addresses}; }

  hosting::Module& hosting;
  PaymentLookup payment_lookup;
  Cloning cloning;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(payments)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace cloning

namespace agent_actions {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.agents, hosting.chat}; }
  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace agent_actions

namespace installations {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        installations(module.platform.system, module.platform.settings.installation_heartbeat_interval) {}
  Services services() {
    return {installations, hosting.billing.subscriptions, [this] { return hosting.web_url(); }};
  }

  hosting::Module& hosting;
  Installations installations;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(table)}, .backend = backend_routes});
}

}  // namespace installations

namespace storage_watch {

namespace {

using namespace std::chrono_literals;

struct Services {};

struct Parts {
  explicit Parts(hosting::Module& module)
      : watch(module.platform.system, module.agents.directory, module.agents.lifecycle, *module.engine,
              module.platform.folder.agents(), {module.platform.folder.path(), module.platform.settings.disk_reserve},
              module.platform.blocking),
        rounds(module.platform.home, "storage_watch", 1s, [this] { return watch.look(); }) {}
  Services services() { return {}; }
  web::Task<> start() {
    rounds.start();
    co_return;
  }
  web::Task<> stop() { return rounds.stop(); }

  StorageWatch watch;
  agentbox::Periodic rounds;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({}); }

}  // namespace storage_watch

namespace usage_history {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        history(module.platform.system, module.agents.directory, *module.engine),
        rounds(module.platform.home, "usage_history", 5s, [this] { return history.look(); }) {
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId user, std::string agent) { return history.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
  }
  Services services() { return {history, hosting.agents.directory}; }
  web::Task<> start() {
    rounds.start();
    co_return;
  }
  web::Task<> stop() { return rounds.stop(); }

  hosting::Module& hosting;
  UsageHistory history;
  agentbox::Periodic rounds;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(table)}, .web = web_routes});
}

}  // namespace usage_history

namespace plan_limits {

namespace {

struct Services {};

struct Parts {
  explicit Parts(hosting::Module& module)
      : limits(module.platform.system, module.plan_room, module.agents.lifecycle),
        enforcement(module.platform.home, "plan limits", std::chrono::milliseconds(500),
                    [this] { return limits.enforce(); }) {
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId user, std::string agent) { return limits.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, plan_stops));
  }
  Services services() { return {}; }
  web::Task<> start() {
    enforcement.start();
    co_return;
  }
  web::Task<> stop() { return enforcement.stop(); }

  PlanLimits limits;
  agentbox::Periodic enforcement;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.tables = {store::describe(plan_stops)}}); }

}  // namespace plan_limits

namespace image_catalogue {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        catalogue(module.platform.system, module.agents.provisioning, module.billing.subscriptions,
                  {.has_images = module.engine->has_images(), .host = module.platform.settings.docker_host}) {}
  Services services() { return {catalogue, hosting.identity.audit}; }

  hosting::Module& hosting;
  ImageCatalogue catalogue;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace image_catalogue
