// What an agent's owner may still do: nothing while disabled, and not with gateway tokens from before the end of all
// sessions.
#pragma once

#include <cstdint>
#include <optional>

#include "appliance/access/records.h"
#include "appliance/hosting/agents/records.h"
#include "store/store.h"
#include "web/result.h"

namespace agents {

// Whether a gateway token made at `tokens_since` has ended with its owner's sessions.
bool is_outdated(std::optional<accounts::SessionEpoch> tokens_since, const accounts::User& owner);
// Whether the agent's gateway token opens it. Always for agents of the box itself.
bool admits_token(const store::System&, const Agent&);
// forbidden while the owner is disabled. Makes the change depend on that.
web::Result<void> require_enabled_owner(const store::System&, store::UserId owner, store::Change&);

}  // namespace agents
