// Tools that find, search and change files of the workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "appliance/agent/tools/patch.h"
#include "appliance/agent/tools/toolbox.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace file_tools_test {

using namespace agent_process;
using namespace test_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace json = boost::json;

class FileTools : public testing::Test {
 protected:
  json::object run(std::string name, const json::object& arguments) {
    const auto result =
        await(toolbox.run({.id = "c", .name = std::move(name), .arguments = json::serialize(arguments)}));
    auto content = json::parse(result.content).as_object();
    EXPECT_EQ(result.failed, content.contains("error"));
    return content;
  }
  std::string error(std::string name, const json::object& arguments) {
    const auto result = run(std::move(name), arguments);
    return result.contains("error") ? std::string(result.at("error").as_string()) : "no error";
  }
  std::vector<Tool> all() {
    auto tools = file_tools(workspace, files);
    for (auto& tool : edit_tools(workspace, files)) tools.push_back(std::move(tool));
    return tools;
  }
  void put(std::string_view path, std::string_view content) { ASSERT_TRUE(workspace.write(path, content)) << path; }
  std::string content(std::string_view path) {
    const auto text = workspace.read(path);
    return text ? *text : "(" + text.error().message + ")";
  }
  static std::vector<std::string> paths(const json::object& result, std::string_view list) {
    std::vector<std::string> found;
    for (const auto& entry : result.at(list).as_array()) found.emplace_back(entry.at("path").as_string());
    return found;
  }

  TemporaryFolder folder;
  boost::asio::thread_pool files{1};
  Workspace workspace{folder.path() / "workspace"};
  Toolbox toolbox{all()};
};

TEST_F(FileTools, ReadLinesWithTheirNumbers) {
  put("a.txt", "one\ntwo\n\nfour");
  const auto whole = run("read_file", {{"path", "a.txt"}});
  EXPECT_EQ(whole.at("content"), "1\tone\n2\ttwo\n3\t\n4\tfour\n");
  EXPECT_EQ(whole.at("lines"), 4);
  EXPECT_FALSE(whole.contains("next_line"));
  const auto part = run("read_file", {{"path", "a.txt"}, {"from_line", 2}, {"lines", 2}});
  EXPECT_EQ(part.at("content"), "2\ttwo\n3\t\n");
  EXPECT_EQ(part.at("next_line"), 4);
  EXPECT_THAT(error("read_file", {{"path", "a.txt"}, {"from_line", 5}}), HasSubstr("the file has 4 lines"));
  put("empty.txt", "");
  EXPECT_EQ(run("read_file", {{"path", "empty.txt"}}).at("content"), "");
  put("wide.txt", std::string(10'000, 'x'));
  EXPECT_THAT(std::string(run("read_file", {{"path", "wide.txt"}}).at("content").as_string()),
              HasSubstr("[6000 more bytes]"));
}

TEST_F(FileTools, ReadLongFilesInParts) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  put("long.txt", text);
  std::size_t lines = 0, parts = 0;
  for (std::int64_t from = 1; from != 0; ++parts) {
    const auto part = run("read_file", {{"path", "long.txt"}, {"from_line", from}});
    const std::string content(part.at("content").as_string());
    EXPECT_THAT(content, testing::StartsWith(std::to_string(from) + "\tline " + std::to_string(from - 1) + "\n"));
    lines += std::size_t(std::ranges::count(content, '\n'));
    from = part.contains("next_line") ? part.at("next_line").as_int64() : 0;
  }
  EXPECT_EQ(lines, 5'000u) << "no line is lost or read twice";
  EXPECT_GT(parts, 2u);
}

TEST_F(FileTools, FindFilesByThePatternOfTheirPath) {
  for (const auto* path : {"main.cpp", "src/a.cpp", "src/a.h", "src/deep/b.cpp", "notes.md", "docs/x+y.md"})
    put(path, "x");
  const auto find = [&](std::string pattern, std::string in = "") {
    return paths(run("find_files", {{"pattern", pattern}, {"path", in}}), "entries");
  };
  EXPECT_THAT(find("*.cpp"), ElementsAre("main.cpp", "src/a.cpp", "src/deep/b.cpp"));
  EXPECT_THAT(find("src/*.cpp"), ElementsAre("src/a.cpp"));
  EXPECT_THAT(find("src/**/*.cpp"), ElementsAre("src/a.cpp", "src/deep/b.cpp"));
  EXPECT_THAT(find("**"), testing::SizeIs(6));
  EXPECT_THAT(find("a.{h,cpp}"), ElementsAre("src/a.cpp", "src/a.h"));
  EXPECT_THAT(find("[mn]*"), ElementsAre("main.cpp", "notes.md"));
  EXPECT_THAT(find("x+y.md"), ElementsAre("docs/x+y.md")) << "other characters stand for themselves";
  EXPECT_THAT(find("*.cpp", "src/deep"), ElementsAre("src/deep/b.cpp"));
  EXPECT_THAT(find(".git"), IsEmpty());
  EXPECT_THAT(error("find_files", {{"pattern", "{a"}}), HasSubstr("pattern is no pattern of paths"));
  EXPECT_THAT(error("find_files", {{"pattern", "*"}, {"path", "../.."}}), HasSubstr("'..'"));
}

TEST_F(FileTools, SearchTheTextOfFiles) {
  put("src/a.cpp", "int main() {\n  return answer(); // TODO\n}\n");
  put("src/a.h", "int answer();\n");
  put("todo.md", "todo: write it\n");
  const auto found = run("search_files", {{"text", "answer"}});
  EXPECT_THAT(paths(found, "matches"), ElementsAre("src/a.cpp", "src/a.h"));
  EXPECT_EQ(found.at("matches").at(0).at("line"), 2);
  EXPECT_EQ(found.at("matches").at(0).at("text"), "  return answer(); // TODO");
  EXPECT_THAT(paths(run("search_files", {{"text", "todo"}, {"ignore_case", true}}), "matches"),
              ElementsAre("todo.md", "src/a.cpp"));
  EXPECT_THAT(paths(run("search_files", {{"text", "answer"}, {"files", "*.h"}}), "matches"), ElementsAre("src/a.h"));
  EXPECT_THAT(paths(run("search_files", {{"text", "^int \\w+\\(\\);"}, {"regexp", true}}), "matches"),
              ElementsAre("src/a.h"));
  EXPECT_THAT(error("search_files", {{"text", "("}, {"regexp", true}}), HasSubstr("text is no regular expression"));
  const auto capped = run("search_files", {{"text", "answer"}, {"limit", 1}});
  EXPECT_EQ(capped.at("matches").as_array().size(), 1u);
  EXPECT_EQ(capped.at("truncated"), true);
}

TEST_F(FileTools, MoveAndDelete) {
  put("a/b.txt", "b");
  run("move_file", {{"from", "a/b.txt"}, {"to", "c/d.txt"}});
  EXPECT_EQ(content("c/d.txt"), "b");
  put("e.txt", "e");
  EXPECT_THAT(error("move_file", {{"from", "e.txt"}, {"to", "c/d.txt"}}), HasSubstr("exist"));
  EXPECT_THAT(error("delete_file", {{"path", "c"}}), HasSubstr("not empty"));
  EXPECT_EQ(run("delete_file", {{"path", "c/d.txt"}}).at("deleted"), "c/d.txt");
  EXPECT_FALSE(workspace.exists("c/d.txt"));
  EXPECT_THAT(error("delete_file", {{"path", "../x"}}), HasSubstr("'..'"));
}

TEST_F(FileTools, LeaveWhatIsTheOwnersAlone) {
  for (const auto* path : {"AGENT.md", "agent.md", "skills/x/SKILL.md", ".git/config", ".agentbox/memory.jsonl"}) {
    EXPECT_NE(error("write_file", {{"path", path}, {"content", "x"}}), "no error") << path;
    EXPECT_NE(error("delete_file", {{"path", path}}), "no error") << path;
    EXPECT_NE(error("move_file", {{"from", "e.txt"}, {"to", path}}), "no error") << path;
    EXPECT_NE(error("move_file", {{"from", path}, {"to", "e.txt"}}), "no error") << path;
    EXPECT_NE(error("apply_patch", {{"patch", "--- /dev/null\n+++ b/" + std::string(path) + "\n@@\n+x\n"}}),
              "no error");
  }
  EXPECT_FALSE(workspace.exists("AGENT.md"));
}

TEST_F(FileTools, EditReplacesAnExactText) {
  put("a.txt", "one\ntwo\none\n");
  const auto edited = run("edit_file", {{"path", "a.txt"}, {"old_text", "two\n"}, {"new_text", "2\n2b\n"}});
  EXPECT_EQ(edited.at("line"), 2);
  EXPECT_EQ(content("a.txt"), "one\n2\n2b\none\n");
  EXPECT_THAT(error("edit_file", {{"path", "a.txt"}, {"old_text", "one"}, {"new_text", "1"}}),
              HasSubstr("occurs 2 times (lines 1, 4)"));
  EXPECT_EQ(run("edit_file", {{"path", "a.txt"}, {"old_text", "one"}, {"new_text", "1"}, {"replace_all", true}})
                .at("replacements"),
            2);
  EXPECT_EQ(content("a.txt"), "1\n2\n2b\n1\n");
  EXPECT_THAT(error("edit_file", {{"path", "a.txt"}, {"old_text", "2 \n2b"}, {"new_text", "x"}}),
              HasSubstr("other white space"));
  EXPECT_THAT(error("edit_file", {{"path", "a.txt"}, {"old_text", "three"}, {"new_text", "x"}}),
              HasSubstr("not in the file"));
  EXPECT_THAT(error("edit_file", {{"path", "a.txt"}, {"old_text", "1"}, {"new_text", "1"}}), HasSubstr("the same"));
  EXPECT_THAT(error("edit_file", {{"path", "b.txt"}, {"old_text", "1"}, {"new_text", "2"}}), HasSubstr("no such file"));
  run("edit_file", {{"path", "a.txt"}, {"old_text", "2b\n"}, {"new_text", ""}});
  EXPECT_EQ(content("a.txt"), "1\n2\n1\n");
}

TEST_F(FileTools, PatchChangesCreatesRenamesAndDeletes) {
  put("a.txt", "one\ntwo\nthree\nfour\n");
  put("old.txt", "old\n");
  put("gone.txt", "gone\n");
  const auto patched = run("apply_patch", {{"patch", R"(diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,4 @@
 one
-two
+2
+2b
 three
@@ -4 +5 @@
-four
+4

--- /dev/null
+++ b/new/c.txt
@@ -0,0 +1,2 @@
+first
+second
--- a/old.txt
+++ b/renamed.txt
@@ -1 +1 @@
-old
+new
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
)"}});
  EXPECT_EQ(content("a.txt"), "one\n2\n2b\nthree\n4\n");
  EXPECT_EQ(content("new/c.txt"), "first\nsecond\n");
  EXPECT_EQ(content("renamed.txt"), "new\n");
  EXPECT_FALSE(workspace.exists("old.txt"));
  EXPECT_FALSE(workspace.exists("gone.txt"));
  EXPECT_EQ(patched.at("files").as_array().size(), 5u);
}

TEST_F(FileTools, PatchChangesAllFilesOrNone) {
  put("a.txt", "one\n");
  put("b.txt", "two\n");
  const std::string of_a = "--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+1\n";
  EXPECT_THAT(error("apply_patch", {{"patch", of_a + "--- a/b.txt\n+++ b/b.txt\n@@\n-three\n+3\n"}}),
              HasSubstr("b.txt: hunk 1 does not apply: the file has no line 'three'"));
  EXPECT_EQ(content("a.txt"), "one\n");
  // The second file can be planned, but not written.
  EXPECT_THAT(error("apply_patch", {{"patch", of_a + "--- /dev/null\n+++ b/b.txt/x\n@@\n+x\n"}}),
              HasSubstr("No file was changed"));
  EXPECT_EQ(content("a.txt"), "one\n");
  EXPECT_THAT(error("apply_patch", {{"patch", "--- /dev/null\n+++ b/a.txt\n@@\n+x\n"}}), HasSubstr("exists already"));
  EXPECT_THAT(error("apply_patch", {{"patch", of_a + of_a}}), HasSubstr("occurs twice"));
}

TEST(Patch, ChoosesThePlaceByTheLineNumber) {
  const auto patches = parse_patch("--- a/x\n+++ b/x\n@@ -4,1 +4,1 @@\n-same\n+changed\n");
  ASSERT_TRUE(patches) << patches.error().message;
  EXPECT_EQ(*apply_hunks(patches->front(), "same\na\nb\nsame\nc\nsame\n"), "same\na\nb\nchanged\nc\nsame\n");
  const auto anywhere = parse_patch("--- a/x\n+++ b/x\n@@\n-same\n+changed\n");
  ASSERT_TRUE(anywhere);
  EXPECT_THAT(apply_hunks(anywhere->front(), "same\nsame\n").error().message, HasSubstr("occur 2 times"));
}

TEST(Patch, KeepsLineEndsAndTheMissingLastOne) {
  const auto patches = parse_patch("--- a/x\n+++ b/x\n@@ -2 +2 @@\n-two\n+2\n\\ No newline at end of file\n");
  ASSERT_TRUE(patches) << patches.error().message;
  EXPECT_EQ(*apply_hunks(patches->front(), "one\r\ntwo\r\n"), "one\r\n2\r\n");
  EXPECT_EQ(*apply_hunks(patches->front(), "one\ntwo"), "one\n2");
}

TEST(Patch, InsertsWhereTheHeaderSays) {
  const auto patches = parse_patch("--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+between\n");
  ASSERT_TRUE(patches) << patches.error().message;
  EXPECT_EQ(*apply_hunks(patches->front(), "one\ntwo\n"), "one\nbetween\ntwo\n");
}

TEST(Patch, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) { return parse_patch(text) ? "" : parse_patch(text).error().message; };
  EXPECT_THAT(message("hello"), HasSubstr("must be a unified diff"));
  EXPECT_THAT(message("@@ -1 +1 @@\n-a\n+b\n"), HasSubstr("line 1: a hunk needs the lines '--- a/path'"));
  EXPECT_THAT(message("--- a/x\n+++ b/x\n"), HasSubstr("no hunk follows"));
  EXPECT_THAT(message("--- a/x\n+++ b/x\n@@\n one\n"), HasSubstr("line 3: the hunk changes nothing"));
  EXPECT_THAT(message("--- a/x\n+++ b/x\n@@\n-one\n*two\n"), HasSubstr("line 5: lines of a hunk begin with"));
  EXPECT_THAT(message("--- /dev/null\n+++ /dev/null\n@@\n+x\n"), HasSubstr("both sides"));
}

}  // namespace file_tools_test
