// Deletes the memory of an agent that is not running.
#pragma once

#include <filesystem>

#include "web/result.h"

namespace agent_process {

// Removes conversation and facts from the workspace; files and their history stay. Does not follow links.
// Blocks. Succeeds if there is nothing to remove.
web::Result<void> forget_everything(const std::filesystem::path& workspace);

}  // namespace agent_process
