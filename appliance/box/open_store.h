// Opens the store with the tables of every module.
#pragma once

#include <memory>

#include "appliance/foundation/settings/settings.h"
#include "store/store.h"

namespace agentbox {

enum class Access { write, read_only };
// Every table and migration of this binary. Throws store::Unavailable and UsageError.
std::unique_ptr<store::Store> open_store(const Settings&, Access = Access::write, const store::Trouble& = {});

}  // namespace agentbox
