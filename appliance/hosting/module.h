// Agents, the engines that run them, and their capabilities: the parts of the module, built in order.
#pragma once

#include "appliance/files/module.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/cloning/cloning.h"
#include "appliance/hosting/deployments/deployments.h"
#include "appliance/hosting/engine_choice.h"
#include "appliance/hosting/engine_migration.h"
#include "appliance/hosting/heartbeat/heartbeat.h"
#include "appliance/hosting/installations/installations.h"
#include "appliance/hosting/logs/hub.h"
#include "appliance/hosting/memory/memory.h"
#include "appliance/hosting/schedule/schedule.h"
#include "appliance/hosting/uploads/uploads.h"
#include "appliance/models/module.h"

namespace hosting {

class Module {
 public:
  // Opens the listener of agents in containers on their network's gateway and returns its URL.
  using OpenAgentListener = std::function<std::string(std::string gateway)>;
  Module(const agentbox::Platform&, identity::Module&, billing::Module&, models::Module&, OpenAgentListener);

  // `web_url`: the public URL of the box; called when a request is served.
  agentbox::Rows rows(std::function<std::string()> web_url);
  // Adopts or starts the agents that should run, then starts the schedule.
  web::Task<> start();
  // Ends running prompts, after at most `prompts_grace`, and log streams, which would hold up a drain of the listeners.
  web::Task<> stop_streams(std::chrono::seconds prompts_grace);
  web::Task<> stop() { return agents.stop(); }

  std::optional<std::filesystem::path> workspace_of(std::string_view agent) const;
  const std::string& why_processes() const { return choice_.why; }

 private:
  std::unique_ptr<runtime::Engine> engine_named(std::string_view name) const;
  void subscribe();

  const agentbox::Platform& platform_;
  identity::Module& identity_;
  billing::Module& billing_;
  const OpenAgentListener open_agent_listener_;
  const agentbox::EngineChoice choice_;
  const std::unique_ptr<runtime::Engine> engine_;
  agentbox::EngineMigration migration_;

 public:
  agents::Agents agents;

 private:
  deployments::Deployments deployments_;
  cloning::PaymentLookup clone_payments_;
  cloning::Cloning cloning_;
  logs::Hub log_hub_;
  chat::Chat chat_;
  schedule::Schedule schedule_;
  heartbeat::Heartbeats heartbeats_;
  memory::Memories memories_;
  uploads::Uploads uploads_;
  installations::Installations installations_;
};

}  // namespace hosting
