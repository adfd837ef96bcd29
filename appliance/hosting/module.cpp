#include "appliance/hosting/module.h"

#include "appliance/hosting/agent_actions/routes.h"
#include "appliance/hosting/agents/account_claim.h"
#include "appliance/hosting/agents/routes/routes.h"
#include "appliance/hosting/cloning/routes.h"
#include "appliance/hosting/deployments/routes.h"
#include "appliance/hosting/heartbeat/routes.h"
#include "appliance/hosting/installations/routes.h"
#include "appliance/hosting/logs/routes.h"

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
      deployments_(agents, billing.subscriptions),
      clone_payments_(platform.settings.payment_rpc_url, platform.settings.payment_receiver,
                      platform.settings.payment_token_address),
      log_hub_(*engine_, platform.home),
      chat_(platform.system, agents),
      schedule_(platform.system, billing.subscriptions, schedule::through(platform.system, chat_), platform.home),
      heartbeats_(platform.system, schedule_.tasks, schedule_.zones),
      memories_(agents, platform.folder.agents(), platform.blocking),
      uploads_(agents, platform.folder.agents(), platform.blocking),
      installations_(platform.system, platform.settings.installation_heartbeat_interval) {
  agents.when_asked_for_a_model([&models](std::string_view name) { return models.knows(name); });
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
  agents.refuse_at_hosts_when([this](const accounts::User& user) { return identity_.must_enrol(user); });
  identity_.resolve_agent_tokens_with([this](std::string_view token) { return agents.caller_of_box_token(token); });
  identity_.authentication.identities().when_claimed(
      {.claim = [system = platform_.system](store::UserId user,
                                            store::Change& change) { agents::claim(system, user, change); },
       .claimed =
           [this](store::UserId user) {
             // Streams of their logs that somebody else reads end.
             for (const auto& agent : agents.list(user)) log_hub_.end(agent.id, std::nullopt);
             agents.take_up_jobs(user);
           }});
}

std::unique_ptr<runtime::Engine> Module::engine_named(std::string_view name) const {
  return agentbox::make_engine(name, platform_.settings, platform_.home, platform_.blocking, open_agent_listener_);
}

std::optional<std::filesystem::path> Module::workspace_of(std::string_view agent) const {
  if (!agents.find(agent)) return std::nullopt;
  return platform_.folder.agents() / agent / "workspace";
}

agentbox::Rows Module::rows(std::function<std::string()> web_url) {
  const auto& guards = identity_.guards;
  const auto is_admin = [this](store::UserId user) { return identity_.is_admin(user); };
  const deployments::Parts deploying{deployments_, agents, is_admin, guards};
  const logs::Parts logging{log_hub_, *engine_, agents, guards};
  agentbox::Rows rows;
  web::append(rows.web, agents::web_routes(agents, guards));
  web::append(rows.web, agents::web_lifecycle_routes(agents, guards));
  web::append(rows.web, agents::web_detail_routes(agents, guards));
  web::append(rows.web, deployments::web_routes(deploying));
  web::append(rows.web, cloning::web_routes(agents, clone_payments_, platform_.system, guards));
  web::append(rows.web, logs::web_routes(logging));
  web::append(rows.web, agent_actions::web_routes(agents, chat_, guards));
  web::append(rows.web, chat::web_routes(chat_, guards));
  web::append(rows.web, memory::web_routes(memories_, guards));
  web::append(rows.web, uploads::web_routes(uploads_, guards));
  web::append(rows.web, schedule::web_routes(schedule_, guards));
  web::append(rows.web, heartbeat::web_routes(heartbeats_, guards));
  web::append(rows.backend, agents::backend_routes(agents, guards));
  web::append(rows.backend, agents::backend_lifecycle_routes(agents, guards));
  web::append(rows.backend, agents::backend_detail_routes(agents, guards));
  web::append(rows.backend, deployments::backend_routes(deploying));
  web::append(rows.backend, logs::backend_routes(logging));
  web::append(rows.backend, chat::backend_routes(chat_, agents, guards));
  web::append(rows.backend, schedule::backend_routes(schedule_, guards));
  web::append(rows.backend,
              installations::backend_routes({installations_, billing_.subscriptions, std::move(web_url), guards}));
  return rows;
}

web::Task<> Module::start() {
  if (migration_.is_another()) co_await agents.expect_start("It moves to another engine.");
  std::vector<std::string> all;
  for (auto& agent : agents.list_all(std::size_t(-1))) all.push_back(std::move(agent.id));
  co_await migration_.end_agents(std::move(all));
  co_await agents.start();
  co_await schedule_.scheduler.start();
}

web::Task<> Module::stop_streams(std::chrono::seconds prompts_grace) {
  co_await schedule_.scheduler.stop(prompts_grace);
  co_await log_hub_.stop();
}

}  // namespace hosting
