// Agents outlive their box. Those of a demo do not outlive the demo.
#pragma once

#include "appliance/foundation/settings/settings.h"

namespace demo {

// Stops the agents of a data folder whose box does not run. Blocks, for some seconds at most.
void stop_agents(const agentbox::Settings&);

}  // namespace demo
