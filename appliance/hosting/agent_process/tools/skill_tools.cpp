// The skills that the owner has installed for the agent. Their names are in the system prompt, their instructions come
// when they are asked for.
#include <boost/json.hpp>

#include "appliance/hosting/agent_process/skills/installed.h"
#include "appliance/hosting/agent_process/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

struct SkillName {
  web::Text<1, 64> name;
};
BOOST_DESCRIBE_STRUCT(SkillName, (), (name))

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
      })};
}

}  // namespace agent_process
