// Agents of an account that is handed to its owner: whoever registered it made them, and may be somebody else.
#pragma once

#include "appliance/hosting/agents/records.h"
#include "store/store.h"

namespace agents {

// What callers of the agent and the agent itself present: new ones, which nobody knows yet.
void renew_tokens(Agent&);

// Part of a change. The user's agents are stopped, with the reason, until their owner starts them; their tokens are
// new, and the secrets of their configs (those of messaging channels, say) are gone. Their files, tasks and
// conversations stay to be looked at. Afterwards: Agents::take_up_jobs.
void claim(const store::System&, store::UserId, store::Change&);

}  // namespace agents
