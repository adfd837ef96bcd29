// Agents and the engines that run them: the services that its capabilities share, built in order, and the capabilities
// themselves.
#pragma once

#include "appliance/files/module.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/capabilities.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/commands/programs.h"
#include "appliance/hosting/deployments/stream_source.h"
#include "appliance/hosting/engine_choice.h"
#include "appliance/hosting/engine_migration.h"
#include "appliance/hosting/gate/gate.h"
#include "appliance/hosting/logs/hub.h"
#include "appliance/hosting/notices/notices.h"
#include "appliance/hosting/plan_limits/plan_limits.h"
#include "appliance/hosting/schedule/schedule.h"
#include "appliance/hosting/sharing/sharing.h"
#include "appliance/hosting/uploads/uploads.h"
#include "appliance/models/module.h"
#include "appliance/runtime/command_helper.h"

namespace channels {
class Messaging;
}

namespace hosting {

class Module {
 public:
  // Opens the listener of agents in containers on their network's gateway and returns its URL.
  using OpenAgentListener = std::function<std::string(std::string gateway)>;
  // All of them must outlive this. The functions are called once the box serves.
  Module(const agentbox::Platform&, identity::Module&, billing::Module&, models::Module&, files::Module&,
         OpenAgentListener, deployments::StreamSource);
  ~Module();

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  // Where the box listens; before anything is served.
  void set_addresses(agents::BoxAddresses);
  const std::string& web_url() const { return web_url_; }
  const std::string& summarizer_url() const { return summarizer_url_; }
  const std::string& backend_url() const { return backend_url_; }
  // Adopts or starts the agents that should run, then starts the capabilities.
  web::Task<> start();
  // Ends running prompts, after at most `prompts_grace`, and log streams, which would hold up a drain of the listeners.
  web::Task<> stop_streams(std::chrono::seconds prompts_grace);
  web::Task<> stop();

  const deployments::StreamSource& stream_source() const { return stream_source_; }
  const std::string& why_processes() const { return choice_.why; }

  const agentbox::Platform& platform;
  identity::Module& identity;
  billing::Module& billing;
  models::Module& models;
  files::Module& files;

 private:
  std::unique_ptr<runtime::Engine> engine_named(std::string_view name) const;
  agents::AgentDependencies dependencies_of_agents();
  chat::ExchangeHooks hooks_of_chat();
  notices::NoticeSources sources_of_notices();
  std::string contact() const;
  runtime::CommandHelper::Options options_of_command_helper() const;

  const OpenAgentListener open_agent_listener_;
  const agentbox::EngineChoice choice_;
  std::string web_url_, backend_url_, summarizer_url_;
  const deployments::StreamSource stream_source_;

 public:
  const std::unique_ptr<runtime::Engine> engine;

 private:
  agentbox::EngineMigration migration_;

 public:
  const plan_limits::PlanRoom plan_room;
  agents::Agents agents;
  logs::Hub log_hub;
  gate::TurnTracker turns;
  chat::Chat chat;
  chat::Conversations conversations;
  sharing::Sharing sharing;
  gate::Gate gate;
  uploads::Uploads uploads;
  runtime::CommandHelper command_helper;
  commands::Programs programs;
  // Opens the proxy for programs of foreign images: see runtime::DockerOptions. Set by the capability of commands.
  std::function<web::Task<web::Result<std::optional<runtime::ImageProxy>>>(std::string gateway, bool is_needed)>
      open_image_proxy;
  const std::unique_ptr<channels::Messaging> channels;
  notices::Notices notices;
  schedule::Schedule schedule;

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace hosting
