// The skills in an agent's workspace: each folder skills/NAME with a SKILL.md of that name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/agent/workspace.h"
#include "web/result.h"

namespace agent_process {

struct InstalledSkill {
  std::string name, description;
};

// All functions block. By name; at most 100. Folders without a valid SKILL.md are left out.
std::vector<InstalledSkill> installed_skills(const Workspace&);

struct SkillContent {
  std::string instructions;
  std::vector<std::string> files;  // further files of the skill, as paths for read_file
};
// not_found, naming the skills that there are.
web::Result<SkillContent> read_skill(const Workspace&, std::string_view name);

// The part of the system prompt that names the skills; empty without any. Instructions are read when they are needed.
std::string skills_prompt(const Workspace&);

}  // namespace agent_process
