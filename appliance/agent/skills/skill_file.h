// SKILL.md, the file that makes a folder a skill in the open Agent Skills form: front matter in YAML between two lines
// "---", then instructions in Markdown. docs/skills.md describes it for authors.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"
#include "web/routes/fields.h"

namespace agent_process {

inline constexpr std::string_view skill_file_name = "SKILL.md", skills_folder = "skills",
                                  skill_drafts_folder = "skill-drafts";  // of the agent, until its owner approves them
inline constexpr std::size_t max_skill_file_bytes = 24 * 1024;

struct SkillInput {
  web::Id name;
  std::optional<web::Prose<1, 500>> description;
  std::optional<bool> required;
};
BOOST_DESCRIBE_STRUCT(SkillInput, (), (name, description, required))

struct SkillHead {
  web::Text<1, 64> name;
  web::Prose<1, 1'024> description;
  std::optional<web::Text<1, 32>> version;
  std::optional<web::List<SkillInput, 0, 20>> inputs;
  std::optional<web::Text<1, 20>> price;
  std::optional<web::Text<1, 200>> license;
  std::optional<boost::json::object> metadata;
};
BOOST_DESCRIBE_STRUCT(SkillHead, (), (name, description, version, inputs, price, license, metadata))

struct SkillFile {
  SkillHead head;
  std::vector<std::string> allowed_tools;  // "allowed-tools", a text or a list; at most 50
  std::string compatibility;               // at most 500 bytes
  std::string instructions;
};

// Lower-case letters and digits, in words joined by single hyphens; at most 64.
bool is_skill_name(std::string_view);

// Kind::invalid, naming the member ("SKILL.md: description is required"). The price is not checked.
web::Result<SkillFile> parse_skill_file(std::string_view text);

}  // namespace agent_process
