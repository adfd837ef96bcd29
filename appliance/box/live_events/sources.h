// What users see change while they look, each kind from the tables that hold it.
#pragma once

#include <vector>

#include "appliance/box/live_events/source.h"
#include "appliance/hosting/module.h"

namespace live_events {

// `hosting` must outlive them.
std::vector<Source> sources_of(hosting::Module& hosting);

}  // namespace live_events
