// Which names the agent's file tools may use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace agent_process {

// The agent's own files (conversation, memory) inside the workspace.
inline constexpr std::string_view state_folder = ".agentbox";

// The components of a path relative to the workspace; none for "", "." and "/". Kind::invalid for an absolute path,
// "..", bytes that are not UTF-8, control characters, backslashes, more than 32 levels or 255 bytes a name, and every
// reserved name.
web::Result<std::vector<std::string>> path_components(std::string_view path);

// True for names that are, or that some file system takes for, .git, .gitmodules or the state folder: any case,
// trailing dots and spaces, NTFS streams (.git::$INDEX_ALLOCATION) and short names (GIT~1), code points that HFS+
// ignores.
bool is_reserved(std::string_view component);

}  // namespace agent_process
