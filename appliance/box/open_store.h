// Opens the store with the tables of every module.
#pragma once

#include <memory>

#include "appliance/foundation/settings/settings.h"
#include "store/store.h"

namespace agentbox {

// With every table and migration of this binary. Throws UsageError.
store::Options store_options(const Settings&);

enum class Access { write, read_only };
// Throws store::Unavailable and UsageError.
std::unique_ptr<store::Store> open_store(const Settings&, Access = Access::write, const store::Trouble& = {});

}  // namespace agentbox
