// What is known of all capabilities without a store.
#pragma once

#include <vector>

#include "appliance/access/guards.h"
#include "appliance/foundation/platform.h"
#include "store/table.h"

namespace agentbox {

// The tables of all capabilities, by module.
std::vector<store::TableInfo> all_tables();

// The rows of all capabilities, to be listed and documented, not called. They refer to the guards.
Rows documented_rows(const Guards&);

}  // namespace agentbox
