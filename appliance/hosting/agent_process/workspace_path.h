// Which names the agent's file tools may use.
#pragma once

#include <string_view>

#include "appliance/files/path.h"

namespace agent_process {

// The agent's own files (conversation, memory) inside the workspace.
inline constexpr std::string_view state_folder = ".agentbox";
inline constexpr std::string_view conversation_file = "conversation.jsonl", memory_file = "memory.jsonl";

// See files::components_of.
web::Result<files::Components> path_components(std::string_view path);

// True for .git, .gitmodules and the state folder, and for names that some file system treats as one of them.
bool is_reserved(std::string_view component);

}  // namespace agent_process
