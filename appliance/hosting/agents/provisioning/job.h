// Puts an agent's job into a change.
#pragma once

#include "appliance/hosting/agents/records.h"
#include "store/store.h"

namespace agents {

// Replaces an unfinished job of the agent, but keeps its effects: if that one resets the memory, this one does, too; if
// that one stops the agent for a reason, a start becomes a restart.
void put_job(const store::System&, Job, store::Change&);

}  // namespace agents
