// The agents of a box: the parts that create, run, change and find them, built in order.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/agents/agent_provisioning.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/editor.h"
#include "appliance/hosting/agents/lifecycle.h"
#include "appliance/hosting/agents/monitor.h"
#include "appliance/hosting/agents/revocation.h"

namespace agents {

// Where the listeners are reached: "http://127.0.0.1:3000". `web` is BASE_URL if that is set.
struct BoxAddresses {
  std::string web, backend, summarizer;
};

// What agents ask of other modules, and tell them. Each may be empty.
struct AgentDependencies {
  ConfigRules::Knows knows_model = {};          // empty: a config may name any
  ConfigRules::Knows knows_server = {};         // empty: none
  mcp_servers::ServerRules servers = {};        // empty: a config may name any program
  PremiumModel premium_model = {};              // the default model of provision(); empty: "auto"
  HostAccess::SessionLives session_lives = {};  // see HostAccess
  AgentLifecycle::HasRoom has_room = {};        // see AgentLifecycle
  Revocation::Rotated rotated = {};             // see Revocation
  Supervision::Entered entered = {};            // see Supervision
  Supervision::Notified notified = {};          // the same
};

class Agents {
 private:
  store::System system_;
  const ConfigRules config_rules_;
  const PremiumModel premium_model_;
  Ports ports_;
  Provisioner provisioner_;
  Supervision supervision_;

 public:
  // `files` runs blocking file work. All arguments must outlive this.
  Agents(store::System, runtime::Engine&, const billing::Subscriptions&, const agentbox::Settings&, web::IoPool&,
         boost::asio::thread_pool& files, agentbox::Events&, AgentDependencies = {},
         std::chrono::milliseconds ready_deadline = healthy_within);
  ~Agents();  // after stop(), or with the pool stopped

  // After Server::listen, before IoPool::start.
  void set_addresses(BoxAddresses);
  const ConfigRules& config_rules() const { return config_rules_; }
  // The user is looking at the agents. See Watchdog::attend; callable from every thread.
  void attend(store::UserId user) { supervision_.attend(user); }
  // Before start(), if no agent can be adopted: agents that should run become `provisioning`, for this reason.
  web::Task<> expect_start(std::string reason);
  // Recovery: running agents are adopted, agents that should run are started, jobs left over go on.
  web::Task<> start();
  // Waits for jobs in progress; agents go on running.
  web::Task<> stop();

  AgentDirectory directory;
  AgentAddresses addresses;
  AgentProvisioning provisioning;
  AgentEditor editor;
  AgentLifecycle lifecycle;
  Revocation revocation;
  AgentMonitor monitor;
};

}  // namespace agents
