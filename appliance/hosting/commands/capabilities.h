// The commands of agents with the way out of their networks, and the credentials that are put in there.
#pragma once

#include "appliance/hosting/capabilities.h"

namespace commands {
hosting::Capability capability();
}

namespace credentials {
hosting::Capability capability();
}
