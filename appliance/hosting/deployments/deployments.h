// Deployments: agents that are created if they do not exist, and started. Each route has the plan limits of its own
// table in the contract.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/hosting/deployments/channel_tokens.h"
#include "web/result.h"
#include "web/task.h"

namespace deployments {

struct DeploymentSpec {
  std::optional<std::string> agent;  // an id; nothing: the user's agent of that name, or a new one
  std::string name;
  std::string model, ai_provider;   // empty: the box's default
  std::optional<std::string> plan;  // nothing: label
  boost::json::object config;
  bool is_deployment = false;  // later deployments of the same name find it
};

struct Deployed {
  agents::Agent agent;
  bool was_active = false;  // it was running or starting before the request
};

// Callable from every thread. Its arguments must outlive it.
class Deployments {
 public:
  Deployments(agents::Agents&, const billing::Subscriptions&, std::function<bool(store::UserId)> is_admin,
              ChannelConnector);

  // POST /api/deployments: one agent per owner and name, however many requests there are at once. Suspends until the
  // agent runs, at most 15 seconds; its status says whether it does. not_found: no such user, or no such agent of this
  // user. payment_required: the deprecated plan, or with AGENT_LIMIT_REACHED, `current` and `limit` the plan's number
  // of agents (plan middleware). invalid: an unknown plan. unavailable: the kill switch.
  // Administrators are not held to that number: users that are one, and requests on behalf of one.
  web::Task<web::Result<Deployed>> deploy(store::UserId, DeploymentSpec, bool is_for_admin = false);
  // POST /api/provision of the web: by the caller's subscription, with its own table of limits. payment_required
  // without one; too_many at the limit; unavailable: the kill switch. The tokens are kept encrypted in the config, like
  // its other secrets, and the channels are connected.
  web::Task<web::Result<agents::Agent>> provision(const web::Caller&, DeploymentSpec, ChannelTokens);
  // POST /api/provision of the backend. Also not_found: no such user. payment_required at the limit.
  web::Task<web::Result<agents::Agent>> provision_for(store::UserId, DeploymentSpec, ChannelTokens);

 private:
  struct Entitlement {
    billing::Plan plan;
    agents::Allowance allowance;
  };
  web::Result<Entitlement> entitlement(store::UserId, bool is_admin, const std::optional<std::string>& plan) const;
  std::optional<agents::Agent> existing(store::UserId, const DeploymentSpec&) const;
  web::Task<web::Result<Deployed>> bring_up(store::UserId, agents::Agent);
  web::Task<Deployed> settled(agents::Agent);
  web::Task<> start_channels(const agents::Agent&, ChannelTokens) const;

  agents::Agents& agents_;
  const billing::Subscriptions& subscriptions_;
  const std::function<bool(store::UserId)> is_admin_;
  const ChannelConnector connector_;
};

}  // namespace deployments
