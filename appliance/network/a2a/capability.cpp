#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/a2a/routes.h"
#include "appliance/network/module.h"

namespace a2a {

namespace {

struct Parts {
  explicit Parts(network::Module& given_module)
      : module(given_module),
        signer(module.platform.master_key),
        tasks(module.platform.system, module.hosting.chat, module.daily_limit, module.platform.home),
        sweeps(module.platform.home, "A2A sweep", std::chrono::hours(1), [this] { return tasks.sweep(store::now()); }) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return tasks.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
  }
  Services services() {
    return {.tasks = tasks,
            .signer = signer,
            .system = module.platform.system,
            .agent_domain = module.platform.settings.agent_domain,
            .web_url = [this] { return module.hosting.web_url(); },
            .agent_url = [this](std::string_view subdomain) { return module.hosting.agents.addresses.url(subdomain); },
            .caller_of =
                [this](const web::Request& request) {
                  auto caller = module.identity.guards.model_caller.admit(request);
                  return caller ? std::optional(std::move(*caller)) : std::nullopt;
                }};
  }
  web::Task<> start() {
    co_await tasks.recover();
    sweeps.start();
  }
  web::Task<> stop() { return sweeps.stop(); }

  network::Module& module;
  const CardSigner signer;
  Tasks tasks;
  agentbox::Periodic sweeps;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace a2a
