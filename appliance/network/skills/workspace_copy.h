// The copy of a skill in an agent's workspace, where the agent finds it (agent_process/skills/installed.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "appliance/network/skills/package_review.h"
#include "web/result.h"

namespace skills {

// All block, and follow no link that the agent left in its workspace.

// The files of the skill that are there: those of these paths, without what is no plain file.
FileContents read_copy(const std::filesystem::path& workspace, const std::string& skill,
                       const std::vector<std::string>& paths);
// Writes every file atomically, SKILL.md last, so that an agent never sees half a skill that was not there before; then
// removes the files of `before`, the paths of an earlier version, that the skill no longer has.
web::Result<void> write_copy(const std::filesystem::path& workspace, const Skill&,
                             const std::vector<std::string>& before);
// Removes these files, SKILL.md first, and the folders that are empty then. Missing ones are removed.
web::Result<void> remove_copy(const std::filesystem::path& workspace, const std::string& skill,
                              const std::vector<std::string>& paths);

}  // namespace skills
