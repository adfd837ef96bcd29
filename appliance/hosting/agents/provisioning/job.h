// The one job of an agent.
#pragma once

#include "appliance/hosting/agents/records.h"
#include "store/store.h"

namespace agents {

// Part of a change: in the place of a job that is not done yet. What that one was to have forgotten is still forgotten,
// and what it was to have stopped for a reason does not go on as it was: a start becomes a restart.
void put_job(const store::System&, Job, store::Change&);

}  // namespace agents
