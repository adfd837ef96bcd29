// What connects agents besides descent: their messages of the last day, and the swarms at work.
#pragma once

#include <vector>

#include "appliance/network/fleet/graph.h"
#include "store/store.h"

namespace fleet {

std::vector<Tie> ties_of(const store::Tenant&);

}  // namespace fleet
