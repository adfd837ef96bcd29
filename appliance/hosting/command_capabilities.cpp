// What agents run, the way out of their networks, and the credentials that are put in there: what each capability is
// built of, and what it brings.
#include "appliance/hosting/capabilities.h"

#include "appliance/agent/storage.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/hosting/agents/provisioning/worker.h"
#include "appliance/hosting/commands/handlers.h"
#include "appliance/hosting/credentials/handlers.h"
#include "appliance/hosting/egress_proxy/proxy.h"
#include "appliance/hosting/module.h"
#include "appliance/identity/personal_data/rows.h"

namespace commands {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module)
      : hosting(module),
        launcher(std::filesystem::read_symlink("/proc/self/exe"), module.platform.folder.agents(),
                 runtime::tools_folder(module.platform.settings.agent_tools),
                 module.platform.settings.isolation_for_commands == "strong"),
        credentials(module.platform.system),
        proxy(module.platform.system, module.agents.directory, credentials, module.platform.network,
              module.platform.settings.summarizer_allow_private),
        commands(launcher, module.platform.home, options_of(module)) {
    proxy.when_used([&module](const std::string& agent) { module.turns.taint(agent, gate_source); });
    module.gate.add_executor(gate_kind, gate_executor(services()));
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId, std::string agent) -> web::Task<> { return commands.forget(std::move(agent)); });
  }
  Commands::Options options_of(hosting::Module& module) {
    const auto folder = module.platform.folder.agents();
    return {.authority = [this] { return proxy.authority(); },
            .serve = [this](Network network) { return proxy.serve(std::move(network)); },
            .may_run =
                [&module](const std::string& id) {
                  const auto agent = module.agents.directory.find(id);
                  return agent && agent->desired == agents::desired::running;
                },
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
  Services services() {
    return {commands, hosting.gate, hosting.agents.directory, [this] { return why_not(); },
            [this](const agents::Agent& agent) {
              return runtime::CommandSpec{
                  .agent = agent.id,
                  .port = std::uint16_t(agent.port.value_or(0)),
                  .workspace = std::filesystem::absolute(hosting.platform.folder.workspace(agent.id)),
                  .limits = agents::limits_of(hosting.platform.system, agent),
                  .text = {}};
            }};
  }
  std::string why_not() const {
    return hosting.engine->name() == "process" ? launcher.why_not() : "Agents in containers run no commands.";
  }
  web::Task<> stop() {
    co_await commands.stop_all();
    co_await proxy.stop();
  }

  hosting::Module& hosting;
  const runtime::CommandLauncher launcher;
  credentials::Credentials credentials;
  egress_proxy::Proxy proxy;
  Commands commands;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace commands

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
