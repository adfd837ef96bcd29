// What agents run, their browsers, the way out of the networks of both, and the credentials that are put in there: what
// each capability is built of, and what it brings.
#include "appliance/hosting/capabilities.h"

#include <memory>
#include <tuple>

#include "appliance/agent/storage.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/foundation/master_key.h"
#include "appliance/hosting/agents/provisioning/worker.h"
#include "appliance/hosting/command_features.h"
#include "appliance/hosting/commands/handlers.h"
#include "appliance/hosting/credentials/handlers.h"
#include "appliance/hosting/egress_proxy/proxy.h"
#include "appliance/hosting/module.h"
#include "appliance/hosting/web_browser/handlers.h"
#include "appliance/hosting/web_browser/program.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/runtime/docker/command_containers.h"

namespace hosting {

runtime::CommandLauncher make_launcher(const Module& module) {
  const auto& settings = module.platform.settings;
  return {std::filesystem::read_symlink("/proc/self/exe"), module.platform.folder.agents(),
          runtime::tools_folder(settings.agent_tools), std::filesystem::absolute(module.platform.folder.packages()),
          settings.isolation_for_commands == "strong"};
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
        commands(starter(), module.platform.home, options_of(module)) {
    proxy.when_used([&module](const std::string& agent) { module.turns.taint(agent, gate_source); });
    module.gate.add_executor(gate_kind, gate_executor(services()));
    module.programs = {
        .why_not = [this] { return why_not(); },
        .serve = [this](std::string agent, Order order,
                        Follower follower) { return serve(std::move(agent), std::move(order), std::move(follower)); },
        .send = [this](const std::string& program, std::string_view text) { return commands.send(program, text); },
        .end = [this](const std::string& program) { commands.end(program); }};
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
  std::string why_not() const { return containers ? containers->why_not() : launcher.why_not(); }
  web::Task<> start() {
    if (containers) co_await containers->start_up();
  }
  web::Task<> stop() {
    if (containers) co_await containers->stop();
    co_await commands.stop_all();
    co_await proxy.stop();
  }

  hosting::Module& hosting;
  runtime::CommandLauncher launcher;
  const std::unique_ptr<runtime::docker::CommandContainers> containers;  // null: agents are processes
  credentials::Credentials credentials;
  egress_proxy::Proxy proxy;
  Commands commands;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace commands

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
    return {.program = module.platform.settings.browser,
            .serve = [this](commands::Network network) { return proxy.serve(std::move(network)); },
            .may_run =
                [&module](const std::string& id) {
                  const auto agent = module.agents.directory.find(id);
                  return agent && agent->desired == agents::desired::running;
                },
            .is_disk_full =
                [disk = agentbox::DiskReserve(module.platform.folder.path(), module.platform.settings.disk_reserve)] {
                  return !disk.admit();
                }};
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
