#include "appliance/hosting/agents/account_claim.h"

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/config_secrets.h"
#include "appliance/hosting/agents/provisioning/job.h"

namespace agents {
namespace {

constexpr auto reason =
    "The account was handed to the owner of its email address. Look at the agent's config, files and tasks before you "
    "start it: somebody else may have made it.";

bool may_run(const Agent& agent) { return agent.status != Status::pending && agent.status != Status::stopped; }

void stop(const store::System& system, Agent& agent, store::Change& change) {
  agent.desired = desired::stopped;
  agent.status = Status::stopping;
  Job job{
      .agent = agent.id, .owner = agent.owner, .action = Action::stop, .reason = reason, .created_at = store::now()};
  put_job(system, std::move(job), change);
}

}  // namespace

void renew_tokens(Agent& agent) {
  agent.gateway_token.clear = crypto::random_hex(16);
  agent.box_token.clear = "bt_" + crypto::random_token();
  agent.box_token_hash = crypto::sha256_hex(agent.box_token.clear);
}

void claim(const store::System& system, store::UserId user, store::Change& change) {
  const store::Page all{.limit = std::size_t(-1)};
  for (const AgentSummary& summary : system.tenant(user).list(summaries, all)) {
    auto row = system.get(records, user, summary.id);
    if (!row || row->value.desired == desired::removed) continue;
    auto& agent = row->value;
    renew_tokens(agent);
    agent.config_secrets.clear.clear();
    agent.config = split_config(std::move(agent.config), {}).shown;
    agent.status_reason = reason;
    agent.updated_at = store::now();
    if (may_run(agent)) stop(system, agent, change);
    change.update(records, *row);
  }
}

}  // namespace agents
