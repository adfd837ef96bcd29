// The modules of the box, in the order in which they are built.
#pragma once

#include "appliance/access/events.h"
#include "appliance/billing/subscriptions/plan_directory.h"
#include "appliance/box/module.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/media/module.h"
#include "appliance/network/module.h"

namespace agentbox {

// Destroyed from the last to the first.
struct Modules {
  // All of them must outlive this.
  Modules(const Platform&, store::Store&, const web::LoopWatchdog&, const SettingSources&,
          hosting::Module::OpenAgentListener, std::function<void()> reload_tls);

  // Of all modules.
  Rows rows();
  // Those for agents in containers: what an agent's token opens, and signed messages.
  std::vector<web::Route> agent_rows();
  // For the web listener: requests to agents' own hosts go to them, except for those that the box answers itself.
  web::HostRouter host_router();
  // The background work of all modules.
  web::Task<> start();
  // In reverse, except for hosting's streams, which end before the listeners drain.
  web::Task<> stop();

  // What happens to accounts and agents, and what modules ask about those above them. The directories read the store
  // alone, so they are built before the modules that they are about.
  Events events;
  const agents::AgentDirectory agent_directory;
  billing::PlanDirectory plan_directory;

  identity::Module identity;
  billing::Module billing;
  models::Module models;
  files::Module files;
  hosting::Module hosting;
  payments::Module payments;
  network::Module network;
  media::Module media;
  box::Module own;
  const web::Guard recent_admin_session;
};

}  // namespace agentbox
