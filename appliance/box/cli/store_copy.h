// The store of the running box as a backup in a folder of a command.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "appliance/box/cli/box_client.h"
#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

// The box writes to `to` itself if it sees and may write there: an incremental backup. Else it backs up into the data
// folder, and from there only files that `to` has not yet are copied; an earlier backup in `to` is replaced as a whole.
// Throws UsageError and std::filesystem::filesystem_error.
void copy_store_of(const BoxClient&, const DataFolder&, const std::string& master_key, const std::filesystem::path& to);

// The same of a stopped box whose folder is another user's than root, who runs this: `back_up` writes the backup to the
// path that it gets, as that user (run_as_owner), so that nothing in the folder leads root elsewhere.
void copy_store_through(const DataFolder&, const std::function<void(const std::filesystem::path& to)>& back_up,
                        const std::filesystem::path& to);

}  // namespace agentbox::cli
