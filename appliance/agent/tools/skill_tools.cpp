// The skills that the owner has installed for the agent, and drafts of new ones. Their names are in the system prompt,
// their instructions come when they are asked for.
#include <boost/json.hpp>

#include "appliance/agent/skills/installed.h"
#include "appliance/agent/skills/skill_file.h"
#include "appliance/agent/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

struct SkillName {
  web::Text<1, 64> name;
};
BOOST_DESCRIBE_STRUCT(SkillName, (), (name))

struct SkillDraft {
  web::Text<1, 64> name;
  web::Text<1, 1'000> description;
  web::Prose<1, 20'000> instructions;
};
BOOST_DESCRIBE_STRUCT(SkillDraft, (), (name, description, instructions))

// As YAML reads a text whatever is in it.
std::string yaml_text(std::string_view text) { return json::serialize(json::value(text)); }

// A draft is a skill in another folder: its owner approves it by moving it to skills/.
web::Result<json::value> write_draft(const Workspace& workspace, const SkillDraft& draft) {
  const auto text = "---\nname: " + draft.name + "\ndescription: " + yaml_text(draft.description) + "\n---\n\n" +
                    draft.instructions + "\n";
  if (const auto skill = parse_skill_file(text); !skill) return skill.error();
  const auto folder = std::string(skill_drafts_folder) + "/" + draft.name;
  if (const auto written = workspace.write(folder + "/" + std::string(skill_file_name), text); !written)
    return written.error();
  return json::value(json::object{
      {"draft", folder},
      {"note", "Your owner approves or discards it in the console, in your settings. Until then you cannot use it."}});
}

}  // namespace

std::vector<Tool> skill_tools(const Workspace& workspace, boost::asio::thread_pool& files) {
  return {blocking_tool<SkillName>(
              files, "use_skill", "Get the instructions of one of your skills, and the names of its further files.",
              [&workspace](const SkillName& wanted) -> web::Result<json::value> {
                auto skill = read_skill(workspace, wanted.name);
                if (!skill) return skill.error();
                json::array further(skill->files.begin(), skill->files.end());
                return json::object{
                    {"name", wanted.name}, {"instructions", skill->instructions}, {"files", std::move(further)}};
              }),
          blocking_tool<SkillDraft>(files, "write_skill",
                                    "Write a skill: instructions in Markdown for work that comes again, as numbered "
                                    "steps. name: lower-case words "
                                    "joined by hyphens; description: what it does and when to use it. It is a draft "
                                    "until your owner approves it.",
                                    [&workspace](const SkillDraft& draft) { return write_draft(workspace, draft); })};
}

}  // namespace agent_process
