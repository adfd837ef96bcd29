// Deploying: an agent that is there and runs, made when it is not. Which plan counts, and how many agents it allows, is
// each route's own (the contract has a table for each).
#pragma once

#include <optional>
#include <string>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/agents/agents.h"
#include "web/result.h"
#include "web/task.h"

namespace deployments {

struct Wanted {
  std::optional<std::string> agent;  // an id; nothing: the user's agent of that name, or a new one
  std::string name;
  std::string model, ai_provider;   // empty: as the box has it
  std::optional<std::string> plan;  // nothing: label
  boost::json::object config;
  bool is_deployment = false;  // one that is found again by its name
};

struct Deployed {
  agents::Agent agent;
  bool was_active = false;  // it ran already, or was coming up, and nothing was done
};

// Tokens of a messaging channel are kept sealed with the config, as every secret in it.
struct Channels {
  std::optional<std::string> telegram, discord, slack, whatsapp;
};

// Callable from every thread. What it is given must outlive it.
class Deployments {
 public:
  Deployments(agents::Agents& agents, const billing::Subscriptions& subscriptions)
      : agents_(agents), subscriptions_(subscriptions) {}

  // POST /api/deployments of the backend: of one owner and name there is one, however many ask for it at once.
  // not_found: no such user, or no such agent of this user. payment_required: the deprecated plan, or with
  // AGENT_LIMIT_REACHED, `current` and `limit` the plan's number of agents (plan middleware). invalid: an unknown plan.
  // unavailable: the kill switch. Suspends until it runs, 15 seconds at most: what it is like then stands in its
  // status.
  web::Task<web::Result<Deployed>> deploy(store::UserId, Wanted);
  // POST /api/provision: by the user's subscription, with its own table of limits. payment_required without one;
  // `at_limit` when its number of agents is reached; unavailable: the kill switch.
  web::Task<web::Result<agents::Agent>> provision(store::UserId, bool is_admin, Wanted, Channels, web::Kind at_limit,
                                                  agents::Also = {});

 private:
  std::optional<agents::Agent> named(store::UserId, const Wanted&) const;
  web::Task<web::Result<Deployed>> bring_up(store::UserId, agents::Agent);
  web::Task<Deployed> settled(agents::Agent);

  agents::Agents& agents_;
  const billing::Subscriptions& subscriptions_;
};

}  // namespace deployments
