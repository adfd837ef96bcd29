// Takes from an agent that does not run what it remembers.
#pragma once

#include <filesystem>

#include "web/result.h"

namespace agent_process {

// Removes conversation and facts from the workspace; files and their history stay. Through no link that the agent has
// made. Blocks. Nothing to remove is success.
web::Result<void> forget_everything(const std::filesystem::path& workspace);

}  // namespace agent_process
