// Opens the store with the tables of every module.
#pragma once

#include <memory>
#include <string>

#include "appliance/foundation/settings/settings.h"
#include "store/store.h"

namespace agentbox {

// With every table and migration of this binary. Throws UsageError.
store::Options store_options(const Settings&);

enum class Access { write, read_only };
// Throws store::Unavailable and UsageError.
std::unique_ptr<store::Store> open_store(const Settings&, Access = Access::write, const store::Trouble& = {});

// Throws UsageError if the box's store is in PostgreSQL: `what` is not possible there.
void refuse_on_server(const Settings&, const std::string& what);

}  // namespace agentbox
