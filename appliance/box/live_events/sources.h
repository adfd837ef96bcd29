// What users see change while they look, each kind from the tables that hold it.
#pragma once

#include <vector>

#include "appliance/box/live_events/source.h"
#include "store/store.h"

namespace billing {
class CapPolicy;
}

namespace live_events {

// `caps` must outlive them.
std::vector<Source> sources_of(const store::System&, const billing::CapPolicy& caps);

}  // namespace live_events
