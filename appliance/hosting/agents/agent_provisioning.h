// Creates agents within the limits of plans.
#pragma once

#include <optional>
#include <string>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/hosting/agents/commit_hook.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/new_agent.h"
#include "appliance/hosting/agents/provisioning/ports.h"
#include "appliance/hosting/agents/provisioning/provisioner.h"

namespace billing {
class Subscriptions;
}

namespace agents {

// How many agents an owner may have, and the kind of the error when there are as many: AGENT_LIMIT_REACHED with
// `current` and `limit`.
struct Allowance {
  std::optional<int> agents;  // nothing: no limit
  web::Kind refusal = web::Kind::too_many;
};

// Callable from every thread. Its arguments must outlive it. All functions refuse with unavailable while
// PROVISIONING_ENABLED is false or no port of AGENT_PORT_RANGE is left, and with invalid for a bad name, model or
// config.
class AgentProvisioning {
 public:
  AgentProvisioning(store::System, const AgentDirectory&, const billing::Subscriptions&, const agentbox::Settings&,
                    Ports&, Provisioner&, const ConfigRules&, const PremiumModel&);

  // POST /api/agents/provision: an agent that is started at once. payment_required: no active subscription, or the tier
  // is above it. invalid: unknown tier. Without a model and a provider of its own choice: the premium model. too_many
  // with `current` and `limit`: the tier's number of agents is reached.
  web::Task<web::Result<Agent>> provision(const web::Caller&, NewAgent);
  // An agent that is started at once; the caller decides whether `owner` may have it.
  web::Task<web::Result<Agent>> launch(store::UserId owner, NewAgent, billing::Plan, Allowance, CommitHook = {});
  // The same for a signed-in caller: unauthenticated if the session ends before the commit.
  web::Task<web::Result<Agent>> launch(const web::Caller&, NewAgent, billing::Plan, Allowance);
  // A copy of the owner's agent `descent.parent`, for the owner or for an operator (user 0, whom no plan limits): its
  // model and its config with the secrets, in an empty workspace. Also not_found; payment_required without a
  // subscription; too_many at the plan's number of agents or of generations. `begins` now: it is started at once;
  // later: it is `pending` until it is started.
  enum class Run { now, later };
  web::Task<web::Result<Agent>> clone(const web::Caller&, store::UserId owner, std::string name, CloneOrigin,
                                      CommitHook, Run begins);
  // The backend's creation: `pending` until it is started, without plan rules. Owner 0 is the box. Also invalid: no
  // such user.
  web::Task<web::Result<Agent>> create(store::UserId owner, NewAgent);

 private:
  // The record, its job and its place within the limit are one commit: a refused agent leaves nothing behind.
  web::Task<std::string> default_model_for(store::UserId owner, const boost::json::object& config) const;
  std::int64_t sessions_since(store::UserId owner) const;
  web::Task<web::Result<Agent>> insert(Agent, Allowance, Run, CommitHook = {});

  store::System system_;
  const AgentDirectory& directory_;
  const billing::Subscriptions& subscriptions_;
  const agentbox::Settings& settings_;
  Ports& ports_;
  Provisioner& provisioner_;
  const ConfigRules& rules_;
  const PremiumModel& premium_model_;
};

}  // namespace agents
