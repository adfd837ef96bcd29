// Skills as packages and archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "appliance/network/skills/archive.h"
#include "appliance/network/skills/builtin_skills.h"
#include "appliance/network/skills/package.h"
#include "appliance/network/skills/runs.h"
#include "appliance/network/skills/workspace_copy.h"
#include "tests/support/temporary_folder.h"

namespace skills {
namespace skill_package_test {

using testing::ElementsAre;
using testing::HasSubstr;

PackageFile head(const std::string& more = {}) {
  return {.path = "SKILL.md", .content = "---\nname: tea\ndescription: Makes tea\n" + more + "---\nBoil.\n"};
}
std::string error_of(std::vector<PackageFile> files) {
  const auto skill = read_package(std::move(files), Source::admin);
  return skill ? "no error" : skill.error().message;
}

TEST(SkillPackage, ReadsItsFrontMatter) {
  const auto skill = read_package(
      {{.path = "z.md", .content = "z"}, head("price: 0.000001\nmetadata: {version: v3}\n")}, Source::admin);
  ASSERT_TRUE(skill) << skill.error().message;
  EXPECT_EQ(skill->version, "v3");
  EXPECT_EQ(skill->price.to_string(), "0.000001");
  EXPECT_EQ(skill->files[0].path, "SKILL.md");
  EXPECT_EQ(read_package({head()}, Source::admin)->version, "1.0.0");
}

TEST(SkillPackage, RefusesPathsThatLeaveTheFolder) {
  for (const auto* path :
       {"../x", "/x", "a/../x", "a//x", "./x", "a/", "", ".git/config", ".GIT/x", ".agentbox/x", "a\\b", "a/b/c/d/e"})
    EXPECT_NE(error_of({head(), {.path = path, .content = "x"}}), "no error") << path;
  EXPECT_EQ(error_of({head(), {.path = "a/b/c/d", .content = "x"}}), "no error");
  EXPECT_THAT(error_of({head(), {.path = "skill.md", .content = "x"}}), HasSubstr("two files have this name"));
}

TEST(SkillPackage, BoundsPricesAndSizes) {
  for (const auto* price : {"1000", "0", "\"0.5\"", "999.999999"})
    EXPECT_EQ(error_of({head("price: " + std::string(price) + "\n")}), "no error") << price;
  for (const auto* price : {"1000.01", "-0.1", "0.0000001", "abc", ".5.", "1,5"})
    EXPECT_THAT(error_of({head("price: " + std::string(price) + "\n")}), HasSubstr("price")) << price;
  EXPECT_THAT(error_of({head(), {.path = "x", .content = std::string(max_file_bytes + 1, 'x')}}), HasSubstr("512 KB"));
}

TEST(BuiltinSkills, AreValid) {
  std::map<std::string_view, std::vector<PackageFile>> by_skill;
  for (const auto& file : builtin_files())
    by_skill[file.skill].push_back({.path = std::string(file.path), .content = std::string(file.content)});
  EXPECT_GE(by_skill.size(), 4u);
  for (auto& [name, files] : by_skill) {
    const auto skill = read_package(std::move(files), Source::box);
    ASSERT_TRUE(skill) << name << ": " << skill.error().message;
    EXPECT_EQ(skill->name, name);
    EXPECT_GT(skill->instructions.size(), 200u);
  }
}

// One stored entry and its directory.
std::string archive_of(const std::string& name, const std::string& content) {
  const auto number = [](std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += char(value >> (8 * i));
    return text;
  };
  const auto crc = std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(content.data()), uInt(content.size())));
  const auto size = std::uint32_t(content.size());
  const auto common = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(crc, 4) + number(size, 4) +
                      number(size, 4) + number(std::uint32_t(name.size()), 2) + number(0, 2);
  const auto local = "PK\x03\x04" + common + name + content;
  const auto entry = "PK\x01\x02" + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                     number(0, 4) + name;
  return local + entry + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(std::uint32_t(entry.size()), 4) + number(std::uint32_t(local.size()), 4) + number(0, 2);
}

TEST(SkillArchive, IsUnpacked) {
  const auto files = unpack(archive_of("tea/SKILL.md", "hello"));
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().path, "SKILL.md");
  EXPECT_EQ(files->front().content, "hello");
}

TEST(SkillArchive, SurvivesAnyDamage) {
  const auto whole = archive_of("SKILL.md", std::string(300, 'x'));
  for (std::size_t end = 0; end < whole.size(); ++end)
    EXPECT_FALSE(unpack(std::string_view(whole).substr(0, end))) << end;
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = whole;
    for (unsigned i = 1 + random() % 4; i > 0; --i) damaged[random() % damaged.size()] = char(random());
    const auto files = unpack(damaged);
    if (!files) {
      EXPECT_EQ(files.error().kind, web::Kind::invalid);
    }
  }
}

TEST(WorkspaceCopy, ComesAndGoesWithItsFolders) {
  const test_support::TemporaryFolder folder;
  const auto workspace = folder.path() / "workspace";
  auto skill = *read_package({head(), {.path = "a/b.md", .content = "b"}}, Source::admin);
  ASSERT_TRUE(write_copy(workspace, skill, {}));
  EXPECT_TRUE(std::filesystem::exists(workspace / "skills/tea/a/b.md"));
  std::ofstream(workspace / "skills/tea/mine.txt") << "mine";
  const auto next = *read_package({head()}, Source::admin);
  ASSERT_TRUE(write_copy(workspace, next, {"SKILL.md", "a/b.md"}));
  EXPECT_FALSE(std::filesystem::exists(workspace / "skills/tea/a"));
  ASSERT_TRUE(remove_copy(workspace, "tea", {"SKILL.md", "gone.md"}));
  EXPECT_FALSE(std::filesystem::exists(workspace / "skills/tea/SKILL.md"));
  EXPECT_TRUE(std::filesystem::exists(workspace / "skills/tea/mine.txt"));
  ASSERT_TRUE(remove_copy(workspace, "tea", {"mine.txt"}));
  EXPECT_FALSE(std::filesystem::exists(workspace / "skills/tea"));
  EXPECT_TRUE(remove_copy(workspace / "nowhere", "tea", {"SKILL.md"}));
}

TEST(WorkspaceCopy, FollowsNoLinks) {
  const test_support::TemporaryFolder folder;
  const auto workspace = folder.path() / "workspace", outside = folder.path() / "outside";
  std::filesystem::create_directories(workspace);
  std::filesystem::create_directories(outside / "tea");
  std::ofstream(outside / "tea/SKILL.md") << "mine";
  std::filesystem::create_directory_symlink(outside, workspace / "skills");
  EXPECT_FALSE(write_copy(workspace, *read_package({head()}, Source::admin), {}));
  EXPECT_FALSE(remove_copy(workspace, "tea", {"SKILL.md"}));
  EXPECT_TRUE(std::filesystem::exists(outside / "tea/SKILL.md"));
}

TEST(SkillMessage, HasTheInputsInTheirOrder) {
  const auto skill = *read_package({head("inputs: [{name: b, required: true}, {name: a}]\n")}, Source::admin);
  const auto message = message_of(skill, {.skill = "tea", .inputs = {{"a", 1.5}, {"b", true}}, .prompt = "Now."});
  ASSERT_TRUE(message);
  EXPECT_EQ(*message, "Use your skill \"tea\".\n\nNow.\n\nb: true\na: 1.5");
  EXPECT_EQ(*message_of(skill, {.skill = "tea", .inputs = {{"b", "x"}}}), "Use your skill \"tea\".\n\nb: x");
}

}  // namespace skill_package_test
}  // namespace skills
