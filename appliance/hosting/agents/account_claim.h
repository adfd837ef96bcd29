// Agents of an account that is handed to the verified owner of its address. Another user may have created them.
#pragma once

#include "appliance/hosting/agents/records.h"
#include "store/store.h"

namespace agents {

// Adds to the change: the user's agents are stopped, with a reason, until their owner starts them; their tokens are
// replaced, and the secrets of their configs (such as tokens of messaging channels) are removed. Files, tasks and
// conversations stay. Afterwards call AgentLifecycle::run_committed_jobs.
void claim(const store::System&, store::UserId, store::Change&);

}  // namespace agents
