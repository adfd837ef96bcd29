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

class Agents {
 private:
  store::System system_;
  ConfigRules config_rules_;
  PremiumModel premium_model_;
  Ports ports_;
  Provisioner provisioner_;
  Supervision supervision_;

 public:
  // `files` runs blocking file work. All arguments must outlive this.
  Agents(store::System, runtime::Engine&, const billing::Subscriptions&, const agentbox::Settings&, web::IoPool&,
         boost::asio::thread_pool& files, std::chrono::milliseconds ready_deadline = healthy_within);
  ~Agents();  // after stop(), or with the pool stopped

  // After Server::listen, before IoPool::start.
  void set_addresses(BoxAddresses);
  // Which models a config may name; all unless it is set. Before start().
  void set_known_models(ConfigRules::Knows knows_model) { config_rules_.knows_model = std::move(knows_model); }
  // Which further model servers a config may name; none unless it is set. Before start().
  void set_known_servers(ConfigRules::Knows knows_server) { config_rules_.knows_server = std::move(knows_server); }
  const ConfigRules& config_rules() const { return config_rules_; }
  // The default model of provision(); "auto" unless it is set. Before start().
  void set_premium_model(PremiumModel premium_model) { premium_model_ = std::move(premium_model); }
  // See Provisioner. Before start().
  void when_removed(std::function<web::Task<>(store::UserId, std::string agent)> cleanup);
  // See Supervision. Before start().
  void when_watched(std::function<void(const watchdog::Watch&)> entered) {
    supervision_.when_entered(std::move(entered));
  }
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
