// SKILL.md and its YAML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "appliance/agent/skills/installed.h"
#include "appliance/agent/skills/skill_file.h"
#include "appliance/agent/skills/yaml.h"
#include "appliance/agent/tools/toolbox.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace agent_process {
namespace skill_file_test {

namespace json = boost::json;
using testing::HasSubstr;

std::string yaml(std::string_view text) {
  const auto value = parse_yaml(text, "it");
  return value ? json::serialize(*value) : "error: " + value.error().message;
}

TEST(Yaml, KeepsScalarsAsTheyAreWritten) {
  EXPECT_EQ(yaml("a: 1.10\nb: true\nc: \"true\"\nd: ~\ne:\nf: null\ng: yes\nh: 0x1F"),
            R"({"a":"1.10","b":true,"c":"true","d":null,"e":null,"f":null,"g":"yes","h":"0x1F"})");
  EXPECT_EQ(yaml("a: >\n  two\n  lines\nb: |\n  two\n  lines\nc: 'it''s'"),
            R"({"a":"two lines\n","b":"two\nlines\n","c":"it's"})");
  EXPECT_EQ(yaml("- [x, {y: z}]\n- []\n- {}"), R"([["x",{"y":"z"}],[],{}])");
}

TEST(Yaml, RefusesWhatFrontMatterHasNoUseFor) {
  EXPECT_THAT(yaml("a: &x 1\nb: *x"), HasSubstr("line 1: anchors and tags"));
  EXPECT_THAT(yaml("a: !!int 1"), HasSubstr("anchors and tags"));
  EXPECT_THAT(yaml("a: *x"), HasSubstr("aliases"));
  EXPECT_THAT(yaml("a: 1\na: 2"), HasSubstr("line 2: the key a occurs twice"));
  EXPECT_THAT(yaml("[a]: 1"), HasSubstr("a key must be a text"));
  EXPECT_THAT(yaml("a: 1\n---\nb: 2"), HasSubstr("more than one document"));
  EXPECT_THAT(yaml(""), HasSubstr("has no value"));
  EXPECT_THAT(yaml("a: [1"), HasSubstr("error: it, line"));
  EXPECT_THAT(yaml("\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(yaml(std::string(9, '[') + std::string(9, ']')), HasSubstr("nested too deeply"));
  EXPECT_EQ(yaml(std::string(8, '[') + std::string(8, ']')), std::string(8, '[') + std::string(8, ']'));
  std::string many;
  for (int i = 0; i < 1'001; ++i) many += "- x\n";
  EXPECT_THAT(yaml(many), HasSubstr("too many values"));
}

TEST(Yaml, SurvivesAnyBytes) {
  std::mt19937 random(7);
  constexpr std::string_view alphabet = "ab:-[]{}&*!|>'\"%@`#,? \n\t~";
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (unsigned i = random() % 60; i > 0; --i) text += alphabet[random() % alphabet.size()];
    const auto value = parse_yaml(text, "it");
    if (!value) {
      EXPECT_THAT(value.error().message, testing::StartsWith("it"));
    }
  }
}

std::string error_of(std::string_view text) {
  const auto skill = parse_skill_file(text);
  return skill ? "no error" : skill.error().message;
}

TEST(SkillFile, HasFrontMatterAndInstructions) {
  const auto skill = parse_skill_file(
      "\xEF\xBB\xBF---\r\nname: tea\r\ndescription: Makes tea\r\nversion: 1.10\r\nprice: 0.05\r\nallowed-tools: "
      "Bash\r\n"
      "inputs:\r\n  - {name: leaves, required: true}\r\n---\r\n# Tea\n---\n");
  ASSERT_TRUE(skill) << skill.error().message;
  EXPECT_EQ(skill->head.name, "tea");
  EXPECT_EQ(*skill->head.version, "1.10");
  EXPECT_EQ(*skill->head.price, "0.05");
  EXPECT_EQ(skill->head.inputs->front().name, "leaves");
  EXPECT_EQ(skill->instructions, "# Tea\n---\n");
}

TEST(SkillFile, NamesWhatIsWrong) {
  EXPECT_THAT(error_of("name: tea"), HasSubstr("first line must be ---"));
  EXPECT_THAT(error_of("---\nname: tea\n"), HasSubstr("has no end"));
  EXPECT_THAT(error_of("---\n- a\n---\n"), HasSubstr("must have members"));
  EXPECT_EQ(error_of("---\nname: tea\n---\n"), "SKILL.md: description is required");
  EXPECT_THAT(error_of("---\nname: tea\ndescription: x\ninputs: [{name: a b}]\n---\n"), HasSubstr("inputs[0].name"));
  EXPECT_THAT(error_of("---\nname: tea\ndescription: x\n---\n" + std::string(max_skill_file_bytes, 'x')),
              HasSubstr("at most 24 KB"));
  for (const auto* name : {"", "-tea", "tea-", "te--a", "Tea", "t a", "t\u00e9", "../tea"})
    EXPECT_FALSE(is_skill_name(name)) << name;
  EXPECT_FALSE(is_skill_name(std::string(65, 'a')));
  for (const auto* name : {"a", "tea", "tea-pot-2"}) EXPECT_TRUE(is_skill_name(name)) << name;
}

TEST(SkillDrafts, AreSkillsThatTheOwnerMovesToTheOthers) {
  const test_support::TemporaryFolder folder;
  const Workspace workspace(folder.path());
  boost::asio::thread_pool files(1);
  const Toolbox toolbox(skill_tools(workspace, files));
  const auto run = [&](std::string arguments) {
    const auto result = test_support::await(toolbox.run({.id = "c", .name = "write_skill", .arguments = arguments}));
    return boost::json::parse(result.content).as_object();
  };
  const auto draft = run(
      R"({"name":"tide-table","description":"Says: \"when\" the tide is high, # always","instructions":"1. Ask for the place."})");
  EXPECT_EQ(draft.at("draft"), "skill-drafts/tide-table");
  EXPECT_TRUE(installed_skills(workspace).empty()) << "a draft is not installed";
  std::filesystem::create_directories(folder.path() / "skills");
  std::filesystem::rename(folder.path() / "skill-drafts/tide-table", folder.path() / "skills/tide-table");
  const auto installed = installed_skills(workspace);
  ASSERT_EQ(installed.size(), 1u);
  EXPECT_EQ(installed[0].description, "Says: \"when\" the tide is high, # always");
  EXPECT_THAT(read_skill(workspace, "tide-table")->instructions, HasSubstr("1. Ask for the place."));
  EXPECT_THAT(std::string(run(R"({"name":"Tide Table","description":"x","instructions":"x"})").at("error").as_string()),
              HasSubstr("name must be"));
  EXPECT_TRUE(run(R"({"name":"../x","description":"x","instructions":"x"})").contains("error"));
}

TEST(InstalledSkills, AreTheValidFoldersOfTheWorkspace) {
  const test_support::TemporaryFolder folder;
  const Workspace workspace(folder.path());
  EXPECT_EQ(skills_prompt(workspace), "");
  const auto put = [&](const std::string& path, const std::string& content) {
    std::filesystem::create_directories((folder.path() / path).parent_path());
    std::ofstream(folder.path() / path) << content;
  };
  put("skills/tea/SKILL.md", "---\nname: tea\ndescription: |\n  Makes\n  tea\n---\nBoil.\n");
  put("skills/tea/reference/water.md", "Water.");
  put("skills/coffee/SKILL.md", "---\nname: coffee\ndescription: Makes coffee\n---\nGrind.\n");
  put("skills/other/SKILL.md", "---\nname: another\ndescription: x\n---\n");
  put("skills/broken/SKILL.md", "no front matter");
  put("skills/README.md", "x");
  std::filesystem::create_directory_symlink(folder.path() / "skills/tea", folder.path() / "skills/link");
  const auto skills = installed_skills(workspace);
  ASSERT_EQ(skills.size(), 2u);
  EXPECT_EQ(skills[0].name, "coffee");
  EXPECT_THAT(skills_prompt(workspace), HasSubstr("\n- coffee: Makes coffee\n- tea: Makes tea"));

  const auto tea = read_skill(workspace, "tea");
  ASSERT_TRUE(tea);
  EXPECT_EQ(tea->instructions, "Boil.\n");
  EXPECT_THAT(tea->files, testing::ElementsAre("skills/tea/reference/water.md"));
  const auto none = read_skill(workspace, "../tea");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "There is no such skill. The skills: coffee, tea");

  const auto written = workspace.write("skills/tea/SKILL.md", "x");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("your owner installs skills"));
  EXPECT_TRUE(workspace.write("my-skills/x", "x"));
}

}  // namespace skill_file_test
}  // namespace agent_process
