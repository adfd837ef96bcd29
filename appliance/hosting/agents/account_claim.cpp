#include "appliance/hosting/agents/account_claim.h"

#include "appliance/hosting/agents/config_secrets.h"
#include "appliance/hosting/agents/revocation.h"

namespace agents {
namespace {

constexpr auto reason =
    "The account was handed to the owner of its email address. Look at the agent's config, files and tasks before you "
    "start it: another user may have made it.";

}  // namespace

void claim(const store::System& system, store::UserId user, store::Change& change) {
  const store::Page all{.limit = std::size_t(-1)};
  for (const AgentSummary& summary : system.tenant(user).list(summaries, all)) {
    auto row = system.get(records, user, summary.id);
    if (!row || row->value.desired == desired::removed) continue;
    auto& agent = row->value;
    renew_tokens(agent);
    agent.config_secrets.clear.clear();
    agent.config = split_config(std::move(agent.config), {}).shown;
    stop_for(system, agent, reason, change);
    change.update(records, *row);
  }
}

}  // namespace agents
