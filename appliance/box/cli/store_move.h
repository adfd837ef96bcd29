// Moves the store of a stopped box between its data folder and a PostgreSQL database.
#pragma once

#include <filesystem>
#include <string>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli {

// From the data folder into the database, or back; `settings` has the box's data folder and master key. Copies,
// compares both sides, prints the digest of each table, and returns where the old folder is then. What was interrupted
// is continued. Throws UsageError, and store::Unavailable; the source is then as it was.
std::filesystem::path move_to_server(const Settings&, const std::string& url);
std::filesystem::path move_from_server(const Settings&, const std::string& url);

}  // namespace agentbox::cli
