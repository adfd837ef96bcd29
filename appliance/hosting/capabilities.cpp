// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/hosting/capabilities.h"

#include "appliance/access/key_guards.h"
#include "appliance/foundation/periodic.h"
#include "appliance/hosting/agent_administration/handlers.h"
#include "appliance/hosting/agent_files/handlers.h"
#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/agent_actions.h"
#include "appliance/hosting/agents/handlers.h"
#include "appliance/hosting/agents/personal_data.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/channels/handlers.h"
#include "appliance/hosting/channels/module.h"
#include "appliance/hosting/chat/handlers.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/cloning/handlers.h"
#include "appliance/hosting/commands/capabilities.h"
#include "appliance/hosting/deployments/handlers.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/hosting/heartbeat/handlers.h"
#include "appliance/hosting/installations/handlers.h"
#include "appliance/hosting/logs/handlers.h"
#include "appliance/hosting/mcp_servers/handlers.h"
#include "appliance/hosting/memory/handlers.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/notices/handlers.h"
#include "appliance/hosting/plan_egress/handlers.h"
#include "appliance/hosting/plan_egress/records.h"
#include "appliance/hosting/plan_limits/plan_limits.h"
#include "appliance/hosting/schedule/handlers.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/storage_watch/storage_watch.h"
#include "appliance/hosting/storage_watch/usage_history.h"
#include "appliance/hosting/uploads/handlers.h"
#include "appliance/hosting/web_search/handlers.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/runtime/watchdog/records.h"

namespace agents {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.billing.caps.forget(user, std::move(agent));
    });
    module.agents.revocation.when_rotated(
        [this](const audit::Actor& actor, const Agent& agent) { return audit_rotation(actor, agent); });
    module.identity.sessions.when_all_ended(
        [&module](store::UserId user) { return module.agents.revocation.sessions_ended(user); });
    module.identity.personal_data.add(
        personal_data_of(module.platform.system, module.agents, module.platform.folder.agents()));
    module.identity.identities.when_claimed(
        {.claim = [system = module.platform.system](store::UserId user,
                                                    store::Change& change) { claim(system, user, change); },
         .claimed = [&module](store::UserId user) { module.agents.lifecycle.run_committed_jobs(user); }});
  }
  Services services() {
    return {hosting.agents, [system = hosting.platform.system](const web::Caller& caller) {
              return agentbox::agents_of(system, caller);
            }};
  }
  web::Task<> audit_rotation(const audit::Actor& actor, const Agent& agent) {
    return hosting.identity.audit.note(audit::entry_by(actor, "gateway token replaced", agent.id));
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
            [&module](store::UserId user) { return module.identity.is_admin(user); }, module.channel_connector()) {}
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
            module.platform.system, module.agents.provisioning, payment_lookup, module.billing.spent_credentials,
            {.is_free_without_chain = settings.clone_payments == "free", .only_own = settings.clone_payer == "linked"},
            [&module](store::UserId user, std::string_view address) {
              const auto identity = module.identity.identities.find("wallet:" + std::string(address));
              return identity && identity->user_id == user && !identity->is_disabled;
            }) {}
  Services services() { return {cloning, hosting.agents.addresses}; }

  hosting::Module& hosting;
  PaymentLookup payment_lookup;
  Cloning cloning;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(payments)}, .web = web_routes});
}

}  // namespace cloning

namespace logs {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed([&module](store::UserId, std::string agent) -> web::Task<> {
      module.log_hub.end(agent, std::nullopt);
      co_return;
    });
    module.identity.sessions.when_all_ended([&module](store::UserId user) -> web::Task<> {
      for (const auto& agent : module.agents.directory.list(user)) module.log_hub.end(agent.id, reader_name(user));
      co_return;
    });
    // Log streams that the previous holder of an account reads end.
    module.identity.identities.when_claimed({.claim = {}, .claimed = [&module](store::UserId user) {
                                               for (const auto& agent : module.agents.directory.list(user))
                                                 module.log_hub.end(agent.id, std::nullopt);
                                             }});
  }
  Services services() { return {hosting.log_hub, *hosting.engine, hosting.agents.directory}; }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace logs

namespace chat {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed(
        [&module](store::UserId user, std::string agent) { return module.chat.forget(user, std::move(agent)); });
    module.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.conversations.forget(user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, messages, conversations));
    // What users said to agents of others.
    module.identity.personal_data.add(
        {.erase = [&module](store::UserId user) { return module.conversations.forget_peer(user); }});
  }
  Services services() {
    return {hosting.chat, hosting.agents.directory, hosting.conversations, hosting.agents.config_rules(),
            hosting.platform.blocking};
  }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(messages), store::describe(conversations)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace chat

namespace gate {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed(
        [&module](store::UserId user, std::string agent) { return module.gate.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, asks, rules_table, marks));
  }
  Services services() { return {hosting.gate, hosting.agents.directory, hosting.identity.audit}; }
  web::Task<> start() { return hosting.gate.start(); }
  web::Task<> stop() { return hosting.gate.stop(); }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(asks), store::describe(rules_table),
                                                    store::describe(marks), store::describe(plan_rules)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace gate

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

namespace memory {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : memories(module.agents.directory, module.platform.folder.agents(), module.platform.blocking),
        conversations(module.conversations) {}
  Services services() { return {memories, conversations}; }
  Memories memories;
  const ::chat::Conversations& conversations;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace memory

namespace uploads {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.uploads}; }
  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace uploads

namespace agent_files {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : files(module.platform.system, module.agents.directory, module.uploads, module.platform.folder.agents()) {}
  Services services() { return {files}; }
  AgentFiles files;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace agent_files

namespace mcp_servers {

namespace {

ClientLimits limits_of(const agentbox::Settings& settings) {
  ClientLimits limits;
  if (settings.summarizer_allow_private) limits.reach = web::Reach::configured;
  return limits;
}

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module), servers(module.agents.directory, limits_of(module.platform.settings)) {
    module.gate.carry_out_with(gate_kind, gate_executor(servers, module.turns));
    module.agents.when_removed([this](store::UserId, std::string agent) -> web::Task<> {
      servers.forget(agent);
      co_return;
    });
  }
  Services services() { return {servers, hosting.gate}; }

  hosting::Module& hosting;
  McpServers servers;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace mcp_servers

namespace schedule {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : schedule(module.schedule), rules(module.agents.config_rules()), turns(module.turns) {
    module.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.schedule.tasks.forget(user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, tasks, runs));
  }
  Services services() { return {schedule, rules, turns}; }
  web::Task<> start() { return schedule.scheduler.start(); }
  // Its end is in Module::stop_streams, before the listeners drain.

  Schedule& schedule;
  const ::agents::ConfigRules& rules;
  gate::TurnTracker& turns;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(tasks), store::describe(runs)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace schedule

namespace channels {

hosting::Capability capability() {
  return hosting::Capability::of<Messaging>(
      {.tables = {store::describe(table), store::describe(peers), store::describe(inbound), store::describe(outbound),
                  store::describe(kind_rules), store::describe(invitations)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace channels

namespace notices {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {}
  Services services() { return {hosting.notices}; }
  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace notices

namespace web_search {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : Parts(module, module.platform.settings) {}
  Parts(hosting::Module& module, const agentbox::Settings& settings)
      : hosting(module),
        search({.searxng_url = settings.search_url,
                .brave_url = settings.brave_base_url,
                .brave_key = settings.brave_api_key,
                .tavily_url = settings.tavily_base_url,
                .tavily_key = settings.tavily_api_key}) {}
  Services services() { return {search, hosting.agents.directory, hosting.platform.system, hosting.turns}; }

  hosting::Module& hosting;
  const WebSearch search;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace web_search

namespace heartbeat {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : heartbeats(module.platform.system, module.schedule.tasks, module.schedule.zones) {}
  Services services() { return {heartbeats}; }
  Heartbeats heartbeats;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }

}  // namespace heartbeat

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
    module.agents.when_removed(
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
      : limits(module.platform.system, module.billing.subscriptions, module.identity.accounts, module.agents.lifecycle),
        enforcement(module.platform.home, "plan limits", std::chrono::milliseconds(500),
                    [this] { return limits.enforce(); }) {
    module.agents.lifecycle.check_room_with(
        [this](store::UserId user, std::string_view agent) { return limits.has_room(user, agent); });
    module.agents.when_removed(
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

namespace hosting {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::agents::capability(),        ::agent_administration::capability(),
      ::plan_egress::capability(),   ::watchdog::capability(),
      ::deployments::capability(),   ::cloning::capability(),
      ::logs::capability(),          ::chat::capability(),
      ::gate::capability(),          ::agent_actions::capability(),
      ::memory::capability(),        ::uploads::capability(),
      ::agent_files::capability(),   ::mcp_servers::capability(),
      ::commands::capability(),      ::credentials::capability(),
      ::schedule::capability(),      ::notices::capability(),
      ::web_search::capability(),    ::heartbeat::capability(),
      ::installations::capability(), ::storage_watch::capability(),
      ::usage_history::capability(), ::plan_limits::capability(),
      ::channels::capability(),
  };
}

}  // namespace hosting
