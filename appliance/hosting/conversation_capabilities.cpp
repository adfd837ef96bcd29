// What users and agents exchange: what each capability is built of, and what it brings.
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/json.hpp>
#include <system_error>

#include "appliance/files/root.h"
#include "appliance/hosting/agent_files/handlers.h"
#include "appliance/hosting/capabilities.h"
#include "appliance/hosting/channels/handlers.h"
#include "appliance/hosting/channels/module.h"
#include "appliance/hosting/chat/handlers.h"
#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/hosting/heartbeat/handlers.h"
#include "appliance/hosting/logs/handlers.h"
#include "appliance/hosting/mcp_servers/handlers.h"
#include "appliance/hosting/mcp_servers/http_transport.h"
#include "appliance/hosting/mcp_servers/packages.h"
#include "appliance/hosting/mcp_servers/stdio_transport.h"
#include "appliance/hosting/memory/handlers.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/notices/handlers.h"
#include "appliance/hosting/notices/records.h"
#include "appliance/hosting/schedule/handlers.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/sharing/handlers.h"
#include "appliance/hosting/templates/handlers.h"
#include "appliance/hosting/uploads/handlers.h"
#include "appliance/hosting/web_search/handlers.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/runtime/run_folder.h"
#include "sandbox/command.h"
#include "web/log.h"
#include "web/routes/reply.h"

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

namespace sharing {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.identity.events.agent_removed.subscribe(
        [&module](store::UserId user, std::string agent) { return module.sharing.forget(user, std::move(agent)); });
    module.identity.events.group_removed.subscribe(
        [&module](const std::string& group, store::Change& change) { module.sharing.forget_group(group, change); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
    module.identity.personal_data.add({.erase = [&module](store::UserId user) -> web::Task<> {
      co_await module.sharing.forget_person(user);
      co_await module.schedule.tasks.forget_made_by(peer_name(user));
    }});
  }
  Services services() {
    return {hosting.sharing,
            hosting.agents.directory,
            hosting.agents.editor,
            hosting.agents.lifecycle,
            hosting.chat,
            hosting.conversations,
            hosting.schedule.tasks,
            hosting.billing.ledger,
            hosting.identity.accounts,
            hosting.identity.groups,
            hosting.identity.audit};
  }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(table)}, .web = web_routes});
}

}  // namespace sharing

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

struct PartsForBuilders {
  explicit PartsForBuilders(hosting::Module& module)
      : hosting(module),
        files(module.platform.system, module.agents.directory, module.uploads, module.platform.folder.agents(),
              is_hidden_from_builders) {}
  ServicesForBuilders services() { return {{files}, hosting.sharing, hosting.turns}; }
  hosting::Module& hosting;
  AgentFiles files;
};

}  // namespace

hosting::Capability capability() { return hosting::Capability::of<Parts>({.web = web_routes}); }
hosting::Capability capability_for_builders() {
  return hosting::Capability::of<PartsForBuilders>({.web = routes_for_builders});
}

}  // namespace agent_files

namespace templates {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        files(module.platform.system, module.agents.directory, module.uploads, module.platform.folder.agents()),
        templates(module.platform.system,
                  {module.identity.accounts, module.identity.groups, module.agents.directory,
                   module.agents.provisioning, module.agents.lifecycle, files, module.schedule.tasks}) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table, ::templates::files));
  }
  Services services() { return {templates, hosting.identity.audit}; }

  hosting::Module& hosting;
  agent_files::AgentFiles files;
  Templates templates;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(table), store::describe(files)}, .web = web_routes});
}

}  // namespace templates

namespace mcp_servers {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        log_writing(boost::asio::make_strand(module.platform.blocking)),
        sign_ins(module.platform.system, reach(), module.platform.home,
                 [&module] { return module.identity.site.url(callback_path); }),
        servers(module.agents.directory, {}, module.platform.home,
                [this](const agents::Agent& agent, const ServerConfig& config, Notified notified) {
                  return connect(agent, config, std::move(notified));
                }) {
    module.gate.add_executor(gate_kind, gate_executor(services()));
    module.gate.add_executor(question_kind, question_executor(services()));
    module.identity.events.agent_removed.subscribe([this](store::UserId user, std::string agent) -> web::Task<> {
      servers.forget(agent);
      co_await sign_ins.forget(user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, mcp_servers::sign_ins));
  }
  Services services() { return {servers, sign_ins, hosting.gate, hosting.identity.audit}; }
  web::Reach reach() const {
    return hosting.platform.settings.summarizer_allow_private ? web::Reach::configured : web::Reach::public_only;
  }
  web::Task<> stop() { return servers.stop(); }

  std::unique_ptr<Transport> connect(const agents::Agent& agent, const ServerConfig& config, Notified notified) {
    const TransportLimits limits{.reach = reach()};
    if (!config.is_program())
      return http_transport(
          config, limits, {.part = "tool servers", .user = agent.owner, .agent = agent.id},
          [this, user = agent.owner, id = agent.id, config](std::string refused) {
            return sign_ins.token(user, id, config, std::move(refused));
          },
          std::move(notified));
    ProgramHost host{.programs = hosting.programs,
                     .agent = agent.id,
                     .command_line = [this, config] { return command_line(config); },
                     .log = [this, id = agent.id, name = config.name](std::string_view line) { log(id, name, line); }};
    return stdio_transport(config, limits, std::move(host), hosting.platform.home, std::move(notified));
  }
  web::Result<std::vector<std::string>> command_line(const ServerConfig& config) const {
    std::vector<std::string> words{config.command};
    if (!config.package.empty()) {
      const auto package = find_package(hosting.platform.folder.packages(), config.package);
      if (!package)
        return web::invalid("This box has no package " + config.package + ": its administrator loads them.");
      words = {"node", std::string(sandbox::command_packages) + "/" + package->name + "/" + package->program};
    }
    words.insert(words.end(), config.arguments.begin(), config.arguments.end());
    return words;
  }
  // Into the agent's log, or, where agents in containers write it, the box's own.
  void log(const std::string& agent, const std::string& server, std::string_view text) {
    if (hosting.engine->name() != "process")
      return web::log::info("mcp_server_wrote", {{"agent", agent}, {"server", server}, {"text", std::string(text)}});
    const auto now = std::chrono::floor<std::chrono::milliseconds>(store::now());
    const boost::json::object line{{"time", web::iso8601(now)},
                                   {"level", "info"},
                                   {"event", "mcp_server_wrote"},
                                   {"server", server},
                                   {"text", text}};
    boost::asio::post(log_writing,
                      [folder = hosting.platform.folder.agents() / agent, bytes = boost::json::serialize(line) + "\n"] {
                        try {
                          files::write_all(runtime::RunFolder(folder).open_log(), bytes);
                        } catch (const std::system_error&) {  // the agent is being removed, or the disk is full
                        }
                      });
  }

  hosting::Module& hosting;
  boost::asio::strand<boost::asio::thread_pool::executor_type> log_writing;
  SignIns sign_ins;
  McpServers servers;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(sign_ins)}, .web = web_routes, .backend = backend_routes});
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
  explicit Parts(hosting::Module& module) : hosting(module) {
    auto& identity = module.identity;
    identity.events.agent_removed.subscribe(
        [&module](store::UserId user, std::string agent) { return module.notices.forget(user, std::move(agent)); });
    identity.events.sessions_ended.subscribe([&module](store::UserId user) -> web::Task<> {
      auto change = module.platform.system.change();
      module.notices.push().remove_all(user, change);
      co_await change.commit();
    });
    identity.events.account_claim.subscribe(
        [&module](store::UserId user, store::Change& change) { module.notices.push().remove_all(user, change); });
    identity.personal_data.add(
        personal_data::rows_of(module.platform.system, preferences_table, notices_table, devices_table));
    identity.personal_data.add(personal_data::hidden_rows_of(module.platform.system, push_messages));
  }
  Services services() { return {hosting.notices, hosting.identity.audit}; }
  web::Task<> start() { return hosting.notices.start(); }
  web::Task<> stop() { return hosting.notices.stop(); }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(preferences_table), store::describe(notices_table),
                                                    store::describe(devices_table), store::describe(push_messages)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

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
