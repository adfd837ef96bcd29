#include "appliance/agent/skills/installed.h"

#include <algorithm>

#include "appliance/agent/skills/skill_file.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::size_t max_skills = 100, max_prompt_bytes = 12 * 1024, max_description_bytes = 400;

std::string folder_of(std::string_view name) { return std::string(skills_folder) + "/" + std::string(name); }

// Nothing unless the file is valid and has the name of its folder.
std::optional<SkillFile> skill_in(const Workspace& workspace, std::string_view name) {
  if (!is_skill_name(name)) return std::nullopt;
  const auto text = workspace.read(folder_of(name) + "/" + std::string(skill_file_name));
  if (!text) return std::nullopt;
  auto skill = parse_skill_file(*text);
  if (!skill || skill->head.name != name) return std::nullopt;
  return std::move(*skill);
}

std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

std::vector<InstalledSkill> installed_skills(const Workspace& workspace) {
  std::vector<InstalledSkill> skills;
  for (const auto& name : workspace.folders(skills_folder)) {
    if (skills.size() == max_skills) break;
    if (auto skill = skill_in(workspace, name))
      skills.push_back({.name = name, .description = std::move(skill->head.description)});
  }
  return skills;
}

web::Result<SkillContent> read_skill(const Workspace& workspace, std::string_view name) {
  auto skill = skill_in(workspace, name);
  if (!skill) {
    std::string names;
    for (const auto& each : installed_skills(workspace)) names.append(names.empty() ? "" : ", ").append(each.name);
    return web::not_found("There is no such skill. " + (names.empty() ? "None is installed." : "The skills: " + names));
  }
  SkillContent content{.instructions = std::move(skill->instructions), .files = {}};
  const auto listing = workspace.list(folder_of(name));
  if (!listing) return listing.error();
  for (const auto& entry : listing->entries)
    if (!entry.path.ends_with('/') && !entry.path.ends_with(skill_file_name)) content.files.push_back(entry.path);
  return content;
}

std::string skills_prompt(const Workspace& workspace) {
  std::string list;
  for (const auto& skill : installed_skills(workspace)) {
    const auto line = "- " + skill.name + ": " +
                      on_one_line(std::string(web::utf8_prefix(skill.description, max_description_bytes))) + "\n";
    if (list.size() + line.size() > max_prompt_bytes) break;
    list += line;
  }
  if (list.empty()) return list;
  return "Your owner has installed these skills for you. When a request names one or calls for it, read its "
         "instructions with use_skill first, then follow them:\n" +
         list;
}

}  // namespace agent_process
