#include "appliance/hosting/agents/owner_state.h"

namespace agents {

bool is_outdated(std::optional<accounts::SessionEpoch> tokens_since, const accounts::User& owner) {
  return tokens_since && *tokens_since < owner.sessions_since;
}

bool admits_token(const store::System& system, const Agent& agent) {
  if (agent.owner == 0) return true;
  const auto owner = system.cached(accounts::users, agent.owner);
  return owner && !owner->is_disabled && !is_outdated(agent.tokens_since, *owner);
}

web::Result<void> require_enabled_owner(const store::System& system, store::UserId owner, store::Change& change) {
  if (owner == 0) return {};
  const auto user = system.cached_row(accounts::users, owner);
  if (!user || user->value.is_disabled) return web::forbidden("The account of the agent's owner is disabled.");
  change.require(accounts::users, *user);
  return {};
}

}  // namespace agents
