// What agents run, their browsers, the way out of the networks of both, and the credentials that are put in there: what
// each capability is built of, and what it brings.
#include "appliance/hosting/capabilities.h"

#include <chrono>
#include <memory>
#include <system_error>
#include <tuple>

#include "appliance/agent/storage.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/foundation/master_key.h"
#include "appliance/foundation/periodic.h"
#include "appliance/hosting/agents/provisioning/worker.h"
#include "appliance/hosting/command_features.h"
#include "appliance/hosting/commands/handlers.h"
#include "appliance/hosting/credentials/handlers.h"
#include "appliance/hosting/egress_proxy/image_proxy.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/terminals/handlers.h"
#include "appliance/hosting/terminals/records.h"
#include "appliance/hosting/web_browser/handlers.h"
#include "appliance/hosting/web_browser/program.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/runtime/docker/command_containers.h"
#include "web/run_on.h"

namespace hosting {

runtime::CommandLauncher make_launcher(Module& module) {
  const auto& settings = module.platform.settings;
  return {std::filesystem::read_symlink("/proc/self/exe"), module.platform.folder.agents(),
          runtime::tools_folder(settings.agent_tools),     std::filesystem::absolute(module.platform.folder.packages()),
          settings.isolation_for_commands == "strong",     module.command_helper};
}

std::string why_no_commands(const Module& module) { return module.programs.why_not(); }

std::string why_no_browser(const Module& module, const runtime::CommandLauncher& launcher) {
  if (module.engine->name() != "process") return "Agents in containers have no browser.";
  auto why = browser::why_no_program(launcher.tools(), module.platform.settings.browser);
  return why.empty() ? launcher.why_not() : why;
}

}  // namespace hosting

namespace commands {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        launcher(hosting::make_launcher(module)),
        containers(containers_of(module)),
        credentials(module.platform.system),
        proxy(module.platform.system, module.agents.directory, &credentials, module.platform.network,
              {.part = "commands", .may_be_private = module.platform.settings.summarizer_allow_private}),
        image_proxy(module.platform.system, module.agents.directory, credentials, module.platform.network,
                    module.platform.settings.summarizer_allow_private,
                    [&module](const std::string& agent) { module.turns.taint(agent, gate_source); }),
        commands(starter(), module.platform.home, options_of(module)),
        connecting(module.platform.home, "command_helper", std::chrono::seconds(10),
                   [this] { return keep_connected(); }) {
    proxy.when_used([&module](const std::string& agent) { module.turns.taint(agent, gate_source); });
    module.open_image_proxy = [this](std::string gateway, bool is_needed) {
      return image_proxy.open(std::move(gateway), is_needed);
    };
    module.gate.add_executor(gate_kind, gate_executor(services()));
    module.programs = {
        .why_not = [this] { return why_not(); },
        .serve = [this](std::string agent, Order order,
                        Follower follower) { return serve(std::move(agent), std::move(order), std::move(follower)); },
        .send = [this](const std::string& program, std::string_view text) { return commands.send(program, text); },
        .end = [this](const std::string& program) { commands.end(program); },
        .resize = [this](const std::string& program, runtime::TerminalSize size) { commands.resize(program, size); }};
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId, std::string agent) -> web::Task<> { return commands.forget(std::move(agent)); });
  }
  Commands::Options options_of(hosting::Module& module) {
    const auto folder = module.platform.folder.agents();
    return {.authority = [this] { return proxy.authority(); },
            .serve = [this](Network network) { return proxy.serve(std::move(network)); },
            .may_run = is_to_run(module),
            .over_storage =
                [&module, folder](const std::string& id) {
                  const auto agent = module.agents.directory.find(id);
                  const auto root = files::Root::open(folder / id / "workspace");
                  if (!agent || !root) return false;
                  const auto quota = billing::storage_limit(module.platform.system, agent->owner, agent->plan);
                  return !agent_process::is_within(agent_process::storage_use(*root), std::int64_t(quota));
                },
            .is_disk_full =
                [disk = agentbox::DiskReserve(module.platform.folder.path(), module.platform.settings.disk_reserve)] {
                  return !disk.admit();
                }};
  }
  static std::function<bool(const std::string&)> is_to_run(const hosting::Module& module) {
    return [&module](const std::string& id) {
      const auto agent = module.agents.directory.find(id);
      return agent && agent->desired == agents::desired::running;
    };
  }
  static std::unique_ptr<runtime::docker::CommandContainers> containers_of(const hosting::Module& module) {
    if (module.engine->name() != "docker") return nullptr;
    const auto& [settings, folder] = std::tie(module.platform.settings, module.platform.folder);
    return std::make_unique<runtime::docker::CommandContainers>(
        runtime::docker::CommandContainers::Options{.host = settings.docker_host,
                                                    .image = runtime::docker::tools_image(settings.agent_tools),
                                                    .box = agentbox::box_fingerprint(folder, settings),
                                                    .folder = std::filesystem::canonical(folder.agents()),
                                                    .packages = std::filesystem::absolute(folder.packages()),
                                                    .may_run = is_to_run(module)},
        module.platform.home, module.platform.blocking);
  }
  runtime::CommandStarter& starter() {
    if (containers) return *containers;
    return launcher;
  }
  Services services() {
    return {commands,
            hosting.gate,
            hosting.agents.directory,
            [this] { return why_not(); },
            [this](const agents::Agent& agent) { return spec_of(agent); },
            [this] { return hosting::why_no_browser(hosting, launcher).empty(); }};
  }
  runtime::CommandSpec spec_of(const agents::Agent& agent) const {
    return {.agent = agent.id,
            .port = std::uint16_t(agent.port.value_or(0)),
            .workspace = std::filesystem::absolute(hosting.platform.folder.workspace(agent.id)),
            .limits = agents::limits_of(hosting.platform.system, agent),
            .text = {}};
  }
  // The owner has named the program, so that only rules that refuse every command refuse it.
  web::Task<web::Result<std::string>> serve(std::string id, Order order, Follower follower) {
    if (auto reason = why_not(); !reason.empty()) co_return web::conflict(std::move(reason));
    const auto agent = hosting.agents.directory.find(id);
    if (!agent) co_return web::not_found("No such agent");
    if (agent->desired != agents::desired::running) co_return web::conflict("The agent does not run.");
    if (order.terminal) co_return co_await commands.serve(spec_of(*agent), std::move(order), std::move(follower));
    const auto now = store::now();
    const gate::Circumstances circumstances{.effect = gate::Effect::code,
                                            .is_foreign = false,
                                            .target = order.arguments.front(),
                                            .conversation = {},
                                            .now = now};
    if (gate::decide(hosting.platform.system, agent->owner, id, circumstances) == gate::Decision::refuse)
      co_return web::forbidden("The rules of the agent refuse commands.");
    co_return co_await commands.serve(spec_of(*agent), std::move(order), std::move(follower));
  }
  // /health says from the beginning whether there are commands, and a service that has failed is tried again.
  web::Task<> keep_connected() {
    auto& helper = hosting.command_helper;
    if (!helper.is_there() || helper.is_connected()) co_return;
    const auto work = [&helper] {
      try {
        helper.reach();
      } catch (const std::system_error&) {  // it is logged, and why_not says so
      }
    };
    co_await web::offload(hosting.platform.blocking, work);
  }
  std::string why_not() const { return containers ? containers->why_not() : launcher.why_not(); }
  web::Task<> start() {
    if (containers) co_return co_await containers->start_up();
    connecting.start();
  }
  web::Task<> stop() {
    if (containers) co_await containers->stop();
    co_await connecting.stop();
    co_await commands.stop_all();
    co_await proxy.stop();
    co_await image_proxy.stop();
  }

  hosting::Module& hosting;
  runtime::CommandLauncher launcher;
  const std::unique_ptr<runtime::docker::CommandContainers> containers;  // null: agents are processes
  credentials::Credentials credentials;
  egress_proxy::Proxy proxy;
  egress_proxy::ImageProxyListener image_proxy;
  Commands commands;
  agentbox::Periodic connecting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(egress_proxy::kept_proxies)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace commands

namespace terminals {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        terminals(module.programs, module.identity.audit, module.platform.home,
                  {.idle_time = module.platform.settings.terminal_idle_time,
                   .why_over = [&module](const web::Caller& owner, const std::string& id) -> std::string {
                     if (!module.identity.sessions.find_id(owner.credential)) return "Its session was ended.";
                     const auto agent = module.agents.directory.find(owner.user_id, id);
                     if (!agent) return "The agent was removed.";
                     if (!is_included(module.platform.system, *agent)) return "The plan no longer includes terminals.";
                     return {};
                   }}) {}
  Services services() {
    return {hosting.platform.system, terminals, hosting.agents.directory, hosting.identity.audit,
            hosting.programs.why_not};
  }
  web::Task<> stop() { co_await terminals.stop(); }

  hosting::Module& hosting;
  Terminals terminals;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(plans)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace terminals

namespace browser {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        launcher(hosting::make_launcher(module)),
        proxy(module.platform.system, module.agents.directory, nullptr, module.platform.network,
              {.part = "browser", .may_be_private = module.platform.settings.summarizer_allow_private}),
        browsers(launcher, module.platform.home, module.platform.blocking, options_of(module)) {
    proxy.when_used([&module](const std::string& agent) { module.turns.taint(agent, gate_source); });
    module.gate.add_executor(gate_kind, gate_executor(services()));
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId, std::string agent) -> web::Task<> { return browsers.end(std::move(agent)); });
  }
  Browsers::Options options_of(hosting::Module& module) {
    return {
        .program = module.platform.settings.browser,
        .serve = [this](commands::Network network) { return proxy.serve(std::move(network)); },
        .may_run =
            [&module](const std::string& id) {
              const auto agent = module.agents.directory.find(id);
              return agent && agent->desired == agents::desired::running;
            },
        .is_disk_full = [disk = agentbox::DiskReserve(module.platform.folder.path(),
                                                      module.platform.settings.disk_reserve)] { return !disk.admit(); },
        .idle_time = module.platform.settings.browser_idle};
  }
  Services services() {
    return {browsers,
            hosting.gate,
            hosting.agents.directory,
            hosting.uploads,
            hosting.identity.audit,
            hosting.platform.blocking,
            viewers,
            [this] { return hosting::why_no_browser(hosting, launcher); },
            [this](const agents::Agent& agent) {
              return runtime::CommandSpec{
                  .agent = agent.id,
                  .port = std::uint16_t(agent.port.value_or(0)),
                  .workspace = std::filesystem::absolute(hosting.platform.folder.agents() / agent.id / "browser"),
                  .limits = agents::limits_of(hosting.platform.system, agent),
                  .text = {}};
            }};
  }
  web::Task<> stop() {
    co_await browsers.stop_all();
    co_await proxy.stop();
  }

  hosting::Module& hosting;
  const runtime::CommandLauncher launcher;
  egress_proxy::Proxy proxy;
  std::atomic<int> viewers = 0;
  Browsers browsers;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace browser

namespace credentials {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module), credentials(module.platform.system) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table, credentials::uses));
  }
  Services services() { return {credentials, hosting.identity.audit}; }

  hosting::Module& hosting;
  Credentials credentials;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(table), store::describe(uses)}, .web = web_routes});
}

}  // namespace credentials
