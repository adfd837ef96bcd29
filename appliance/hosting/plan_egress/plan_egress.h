// The most that agents of a plan may reach. Without a bound it is what their config says.
#pragma once

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/hosting/agents/egress.h"
#include "appliance/hosting/agents/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace plan_egress {

agents::Egress bound_of(const store::System&, billing::Plan);
// Takes effect at once, for connections of containers at their next start. Egress::web removes the bound.
web::Task<> set_bound(store::System, billing::Plan, agents::Egress);

// What the agent's config and its plan both admit; nothing if its config cannot be read.
agents::Egress egress_of(const store::System&, const agents::Agent&);
// forbidden if the config asks for more than the plan admits.
web::Result<void> check(const store::System&, const agents::Agent&);

}  // namespace plan_egress
