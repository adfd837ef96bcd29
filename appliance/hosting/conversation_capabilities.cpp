// What users and agents exchange: what each capability is built of, and what it brings.
#include "appliance/hosting/capabilities.h"

#include "appliance/hosting/agent_files/handlers.h"
#include "appliance/hosting/channels/handlers.h"
#include "appliance/hosting/channels/module.h"
#include "appliance/hosting/chat/handlers.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/hosting/heartbeat/handlers.h"
#include "appliance/hosting/logs/handlers.h"
#include "appliance/hosting/mcp_servers/handlers.h"
#include "appliance/hosting/memory/handlers.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/notices/handlers.h"
#include "appliance/hosting/schedule/handlers.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/uploads/handlers.h"
#include "appliance/hosting/web_search/handlers.h"
#include "appliance/identity/personal_data/rows.h"

namespace logs {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.identity.events.agent_removed.subscribe([&module](store::UserId, std::string agent) -> web::Task<> {
      module.log_hub.end(agent, std::nullopt);
      co_return;
    });
    module.identity.events.sessions_ended.subscribe([&module](store::UserId user) -> web::Task<> {
      for (const auto& agent : module.agents.directory.list(user)) module.log_hub.end(agent.id, reader_name(user));
      co_return;
    });
    // Log streams that the previous holder of an account reads end.
    module.identity.events.account_claimed.subscribe([&module](store::UserId user) {
      for (const auto& agent : module.agents.directory.list(user)) module.log_hub.end(agent.id, std::nullopt);
    });
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
    module.identity.events.agent_removed.subscribe(
        [&module](store::UserId user, std::string agent) { return module.chat.forget(user, std::move(agent)); });
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) {
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
    module.identity.events.agent_removed.subscribe(
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
    module.gate.add_executor(gate_kind, gate_executor(servers, module.turns));
    module.identity.events.agent_removed.subscribe([this](store::UserId, std::string agent) -> web::Task<> {
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
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) {
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

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : channels(*module.channels) {
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId user, std::string agent) { return channels.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table, peers, outbound));
    module.identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, inbound, invitations));
  }
  Services services() { return channels.services(); }
  web::Task<> start() { return channels.start(); }
  web::Task<> stop() { return channels.stop(); }

  Messaging& channels;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
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
