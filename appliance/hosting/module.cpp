#include "appliance/hosting/module.h"

#include "appliance/hosting/agent_actions/routes.h"
#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/routes.h"
#include "appliance/hosting/chat/routes.h"
#include "appliance/hosting/cloning/routes.h"
#include "appliance/hosting/deployments/routes.h"
#include "appliance/hosting/heartbeat/routes.h"
#include "appliance/hosting/installations/routes.h"
#include "appliance/hosting/logs/routes.h"
#include "appliance/hosting/memory/routes.h"
#include "appliance/hosting/schedule/routes.h"
#include "appliance/hosting/uploads/routes.h"

namespace hosting {

Module::Module(const agentbox::Platform& platform, identity::Module& identity, billing::Module& billing,
               models::Module& models, OpenAgentListener open_agent_listener)
    : platform_(platform),
      identity_(identity),
      billing_(billing),
      open_agent_listener_(std::move(open_agent_listener)),
      choice_(agentbox::chosen_engine(platform.settings)),
      engine_(engine_named(choice_.name)),
      migration_(platform.folder.engine_note(), engine_->name(),
                 [this](std::string_view name) { return engine_named(name); }),
      agents(platform.system, *engine_, billing.subscriptions, platform.settings, platform.network, platform.blocking),
      deployments_(agents, billing.subscriptions, [&identity](store::UserId user) { return identity.is_admin(user); }),
      clone_payments_(platform.settings.payment_rpc_url, platform.settings.payment_receiver,
                      platform.settings.payment_token_address),
      cloning_(platform.system, agents.provisioning, clone_payments_),
      log_hub_(*engine_, platform.home),
      chat_(platform.system, agents.directory),
      schedule_(platform.system, billing.subscriptions, schedule::chat_sender(platform.system, chat_), platform.home),
      heartbeats_(platform.system, schedule_.tasks, schedule_.zones),
      memories_(agents.directory, platform.folder.agents(), platform.blocking),
      uploads_(agents.directory, platform.folder.agents(), platform.folder.path(), platform.blocking, platform.uploads),
      installations_(platform.system, platform.settings.installation_heartbeat_interval) {
  agents.set_known_models([&models](std::string_view name) { return models.knows(name); });
  subscribe();
}

void Module::subscribe() {
  agents.when_removed([this](store::UserId user, std::string agent) { return chat_.forget(user, std::move(agent)); });
  agents.when_removed(
      [this](store::UserId user, std::string agent) { return billing_.caps.forget(user, std::move(agent)); });
  agents.when_removed([this](store::UserId, std::string agent) -> web::Task<> {
    log_hub_.end(agent, std::nullopt);
    co_return;
  });
  agents.when_removed(
      [this](store::UserId user, std::string agent) { return schedule_.tasks.forget(user, std::move(agent)); });
  agents.addresses.refuse_when([this](const accounts::User& user) { return identity_.must_enrol(user); });
  identity_.resolve_agent_tokens_with(
      [this](std::string_view token) { return agents.directory.caller_of_box_token(token); });
  identity_.authentication.identities().when_claimed(
      {.claim = [system = platform_.system](store::UserId user,
                                            store::Change& change) { agents::claim(system, user, change); },
       .claimed =
           [this](store::UserId user) {
             // Log streams that the previous holder of the account reads end.
             for (const auto& agent : agents.directory.list(user)) log_hub_.end(agent.id, std::nullopt);
             agents.lifecycle.run_committed_jobs(user);
           }});
}

std::unique_ptr<runtime::Engine> Module::engine_named(std::string_view name) const {
  return agentbox::make_engine(name, platform_.settings, platform_.home, platform_.blocking, open_agent_listener_);
}

std::optional<std::filesystem::path> Module::workspace_of(std::string_view agent) const {
  if (!agents.directory.find(agent)) return std::nullopt;
  return platform_.folder.agents() / agent / "workspace";
}

// One line for each capability: its rows on the web and on the backend.
agentbox::Rows Module::rows(std::function<std::string()> web_url) {
  const auto& guards = identity_.guards;
  const agents::Services agent_services{agents, guards};
  const deployments::Services deployment_services{deployments_, agents.addresses, guards};
  const logs::Services log_services{log_hub_, *engine_, agents.directory, guards};
  const chat::Services chat_services{chat_, agents.directory, guards};
  const schedule::Services schedule_services{schedule_, guards};
  agentbox::Rows rows;
  rows.add({agents::web_routes(agent_services), agents::backend_routes(agent_services)});
  rows.add({deployments::web_routes(deployment_services), deployments::backend_routes(deployment_services)});
  rows.add({cloning::web_routes({cloning_, agents.addresses, guards}), {}});
  rows.add({logs::web_routes(log_services), logs::backend_routes(log_services)});
  rows.add({agent_actions::web_routes({agents, chat_, guards}), {}});
  rows.add({chat::web_routes(chat_services), chat::backend_routes(chat_services)});
  rows.add({memory::web_routes({memories_, guards}), {}});
  rows.add({uploads::web_routes({uploads_, guards}), {}});
  rows.add({schedule::web_routes(schedule_services), schedule::backend_routes(schedule_services)});
  rows.add({heartbeat::web_routes({heartbeats_, guards}), {}});
  rows.add({{}, installations::backend_routes({installations_, billing_.subscriptions, std::move(web_url), guards})});
  return rows;
}

web::Task<> Module::start() {
  if (migration_.has_changed()) co_await agents.expect_start("It moves to another engine.");
  std::vector<std::string> all;
  for (auto& agent : agents.directory.list_all(std::size_t(-1))) all.push_back(std::move(agent.id));
  co_await migration_.stop_agents(std::move(all));
  co_await agents.start();
  co_await schedule_.scheduler.start();
}

web::Task<> Module::stop_streams(std::chrono::seconds prompts_grace) {
  co_await schedule_.scheduler.stop(prompts_grace);
  co_await log_hub_.stop();
}

}  // namespace hosting
