// Deletes what an agent remembers: all of it while it is not running, or one conversation.
#pragma once

#include <filesystem>
#include <string_view>

#include "web/result.h"

namespace agent_process {

// Removes conversations and facts from the workspace; files and their history stay. Does not follow links.
// Blocks. Succeeds if there is nothing to remove.
web::Result<void> forget_everything(const std::filesystem::path& workspace);

// Removes a conversation of the owner (conversations.h). Blocks. Follows no links. A running agent must have closed the
// conversation.
web::Result<void> forget_conversation(const std::filesystem::path& workspace, std::string_view name);
// The same for a conversation of a peer; without a name, all of the peer: conversations, files and memory.
web::Result<void> forget_peer(const std::filesystem::path& workspace, std::string_view peer, std::string_view name);

}  // namespace agent_process
