// The agent's hands: workspace, repository, memory, and the toolbox around them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "appliance/agent/conversation.h"
#include "appliance/agent/delegation.h"
#include "appliance/agent/memory.h"
#include "appliance/agent/repository.h"
#include "appliance/agent/tools/names.h"
#include "appliance/agent/tools/toolbox.h"
#include "appliance/agent/workspace.h"
#include "appliance/agent/workspace_path.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace tools_test {

using namespace agent_process;
using namespace test_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace json = boost::json;
namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view content) { std::ofstream(path, std::ios::binary) << content; }

std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class WorkspaceTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  fs::path root = folder.path() / "workspace";
  Workspace workspace{root};
};

TEST_F(WorkspaceTest, WritesReadsAndLists) {
  ASSERT_TRUE(workspace.write("notes/today.txt", "Grüße\n"));
  ASSERT_TRUE(workspace.write("./notes//today.txt", "again"));
  EXPECT_EQ(*workspace.read("notes/today.txt"), "again");
  EXPECT_EQ(content_of(root / "notes/today.txt"), "again");
  ASSERT_TRUE(workspace.write("a.txt", ""));
  const auto listing = workspace.list("");
  ASSERT_TRUE(listing);
  std::vector<std::string> paths;
  for (const auto& entry : listing->entries) paths.push_back(entry.path);
  EXPECT_THAT(paths, ElementsAre("a.txt", "notes/", "notes/today.txt"));
  EXPECT_THAT(workspace.list("notes")->entries, SizeIs(1));
  EXPECT_TRUE(fs::is_empty(root / ".agentbox")) << "no temporary file is left";
}

class PathAttack : public testing::TestWithParam<std::string> {};

TEST_P(PathAttack, IsRefused) {
  TemporaryFolder folder;
  put(folder.path() / "outside.txt", "secret");
  const Workspace workspace(folder.path() / "workspace");
  fs::create_directories(workspace.root() / ".git");
  put(workspace.root() / ".git" / "config", "[core]");
  EXPECT_FALSE(workspace.read(GetParam()));
  EXPECT_FALSE(workspace.write(GetParam(), "evil"));
  EXPECT_EQ(content_of(folder.path() / "outside.txt"), "secret");
  EXPECT_EQ(content_of(workspace.root() / ".git" / "config"), "[core]");
}

INSTANTIATE_TEST_SUITE_P(Spellings, PathAttack,
                         testing::Values("../outside.txt", "a/../../outside.txt", "/etc/passwd", "..", "", ".", "/",
                                         std::string("a\0b", 3), "a\nb", "..\\outside.txt", "C:\\x", "\xff\xfe",
                                         ".git/config", ".GIT/config", ".Git/config", ".git", ".git./config",
                                         ".git /config", ".git::$INDEX_ALLOCATION/config", "git~1/config",
                                         "GIT~12/config", ".g\u200cit/config", ".git\u200d/config", "\uFEFF.git/config",
                                         "sub/.git/config", "./.git/config", ".gitmodules", ".GITMODULES", "gi7eba~1",
                                         ".agentbox/conversation.jsonl", ".AgentBox/memory.jsonl", "AGENTB~1/x",
                                         std::string(256, 'n'), []() {
                                           std::string deep = "x";
                                           for (int i = 0; i < 40; ++i) deep = "d/" + deep;
                                           return deep;
                                         }()));

TEST_F(WorkspaceTest, FollowsNoLinks) {
  put(folder.path() / "outside.txt", "secret");
  fs::create_symlink(folder.path() / "outside.txt", root / "link.txt");
  fs::create_directory_symlink(folder.path(), root / "up");
  fs::create_symlink("real.txt", root / "inner.txt");
  put(root / "real.txt", "real");
  for (const auto* path : {"link.txt", "up/outside.txt", "inner.txt"}) {
    const auto read = workspace.read(path);
    ASSERT_FALSE(read) << path;
    EXPECT_THAT(read.error().message, HasSubstr("symbolic link"));
    EXPECT_FALSE(workspace.write(path, "evil")) << path;
  }
  EXPECT_FALSE(workspace.list("up"));
  EXPECT_EQ(content_of(folder.path() / "outside.txt"), "secret");
  EXPECT_EQ(content_of(root / "real.txt"), "real");
  const auto listing = workspace.list("");
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->entries, SizeIs(1)) << "links are not listed";
}

TEST_F(WorkspaceTest, TouchesRegularFilesOnly) {
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  fs::create_directory(root / "folder");
  EXPECT_THAT(workspace.read("pipe").error().message, HasSubstr("regular file"));
  EXPECT_THAT(workspace.read("folder").error().message, HasSubstr("folder"));
  EXPECT_FALSE(workspace.write("pipe", "x"));
  EXPECT_FALSE(workspace.write("folder", "x"));
  EXPECT_FALSE(workspace.write("new/", "x"));
  EXPECT_EQ(workspace.read("absent").error().kind, web::Kind::not_found);
}

TEST_F(WorkspaceTest, HasLimits) {
  EXPECT_FALSE(workspace.write("big", std::string(Workspace::max_file_bytes + 1, 'x')));
  put(root / "big", std::string(Workspace::max_file_bytes + 1, 'x'));
  EXPECT_THAT(workspace.read("big").error().message, HasSubstr("1 MB"));
  put(root / "binary", "\xff\xfe\x00");
  EXPECT_THAT(workspace.read("binary").error().message, HasSubstr("UTF-8"));
  for (std::size_t i = 0; i < Workspace::max_entries + 5; ++i) put(root / ("f" + std::to_string(i)), "");
  const auto listing = workspace.list("");
  EXPECT_THAT(listing->entries, SizeIs(Workspace::max_entries));
  EXPECT_TRUE(listing->truncated);
}

TEST(WorkspaceStart, RemovesLeftoverTemporaryFiles) {
  TemporaryFolder folder;
  fs::create_directories(folder.path() / ".agentbox");
  put(folder.path() / ".agentbox" / "write-abc", "half");
  const Workspace workspace(folder.path());
  EXPECT_TRUE(fs::is_empty(folder.path() / ".agentbox"));
}

// The repository

class RepositoryTest : public testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(RepositoryTest, CommitsAddedChangedAndDeletedFiles) {
  Repository repository(folder.path(), {"/hidden*"});
  EXPECT_FALSE(repository.commit_all("nothing"));
  EXPECT_THAT(repository.log(10), IsEmpty());

  put(folder.path() / "a.txt", "one");
  put(folder.path() / "b.txt", "two");
  put(folder.path() / "hidden.txt", "never");
  ASSERT_THAT(repository.status(10), SizeIs(2));
  EXPECT_EQ(repository.status(10)[0].status, "added");
  ASSERT_TRUE(repository.commit_all("First"));
  EXPECT_THAT(repository.status(10), IsEmpty());
  EXPECT_FALSE(repository.commit_all("Again")) << "nothing has changed";

  put(folder.path() / "a.txt", "more");
  fs::remove(folder.path() / "b.txt");
  const auto changes = repository.status(10);
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].status, "modified");
  EXPECT_EQ(changes[1].status, "deleted");
  const auto hash = repository.commit_all("Second\n\nbody");
  ASSERT_TRUE(hash);
  EXPECT_THAT(repository.status(10), IsEmpty());
  const auto log = repository.log(10);
  ASSERT_THAT(log, SizeIs(2));
  EXPECT_EQ(log[0].hash, *hash);
  EXPECT_EQ(log[0].subject, "Second");
  EXPECT_EQ(log[0].author, "agentbox agent");
  EXPECT_THAT(repository.log(1), SizeIs(1));
}

TEST_F(RepositoryTest, OpensItsOwnRepositoryAndNoneAbove) {
  { Repository outer(folder.path(), {}); }
  fs::create_directory(folder.path() / "inner");
  Repository inner(folder.path() / "inner", {});
  EXPECT_TRUE(fs::exists(folder.path() / "inner" / ".git"));
  put(folder.path() / "x", "x");
  Repository again(folder.path(), {});
  EXPECT_TRUE(again.commit_all("x"));
  EXPECT_EQ(content_of(folder.path() / ".git" / "HEAD"), "ref: refs/heads/main\n");
}

TEST_F(RepositoryTest, ErrorsNameTheReason) {
  fs::create_directory(folder.path() / ".git");
  put(folder.path() / ".git" / "HEAD", "nonsense");
  fs::create_directories(folder.path() / ".git" / "objects");
  fs::create_directories(folder.path() / ".git" / "refs");
  EXPECT_THROW(
      {
        Repository repository(folder.path(), {});
        repository.commit_all("x");
      },
      std::runtime_error);
}

// Memory

TEST(MemoryTest, RemembersRecallsAndForgetsAcrossStarts) {
  TemporaryFolder folder;
  const auto file = folder.path() / "memory.jsonl";
  std::string id;
  {
    Memory memory(folder.path());
    id = memory.remember("My cat is called Mia")->id;
    ASSERT_TRUE(memory.remember("The harbour opens at nine"));
    EXPECT_EQ(memory.remember("My cat is called Mia")->id, id) << "a fact is kept once";
  }
  put(folder.path() / "torn", content_of(file) + "{\"id\":\"mx\",\"te");
  fs::rename(folder.path() / "torn", file);
  Memory memory(folder.path());
  EXPECT_THAT(memory.recall("", 10), SizeIs(2));
  ASSERT_THAT(memory.recall("what is the name of my cat?", 10), SizeIs(1));
  EXPECT_EQ(memory.recall("cat", 10)[0].id, id);
  EXPECT_THAT(memory.recall("dogs", 10), IsEmpty());
  EXPECT_THAT(memory.digest(1'000), HasSubstr("- The harbour opens at nine"));
  EXPECT_EQ(memory.digest(5), "");
  EXPECT_THAT(*memory.forget("HARBOUR"), SizeIs(1));
  EXPECT_THAT(*memory.forget(id), SizeIs(1));
  EXPECT_THAT(*memory.forget("nothing like it"), IsEmpty());
  EXPECT_THAT(Memory(folder.path()).recall("", 10), IsEmpty());
}

TEST(MemoryTest, KeepsNamedBlocks) {
  TemporaryFolder folder;
  {
    Memory memory(folder.path());
    ASSERT_TRUE(memory.remember("Tea at four"));
    const auto block = memory.write_block("about the user", "Ada, likes tea");
    ASSERT_TRUE(block) << block.error().message;
    EXPECT_EQ(memory.write_block("about the user", "Ada, likes coffee")->id, block->id) << "it is replaced";
    ASSERT_TRUE(memory.write_block("current projects", "The lighthouse"));
  }
  Memory memory(folder.path());
  EXPECT_EQ(memory.blocks(), "[about the user]\nAda, likes coffee\n[current projects]\nThe lighthouse\n");
  EXPECT_EQ(memory.digest(1'000), "- Tea at four\n") << "blocks are not facts";
  EXPECT_THAT(memory.recall("lighthouse", 10), SizeIs(1));
  EXPECT_THAT(*memory.forget("coffee"), IsEmpty()) << "words remove facts only";
  EXPECT_THAT(*memory.forget(memory.recall("coffee", 1).at(0).id), SizeIs(1));
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(memory.write_block("block " + std::to_string(i), "x")) << i;
  EXPECT_EQ(memory.write_block("one more", "x").error().kind, web::Kind::conflict);
}

TEST(MemoryTest, IsBounded) {
  TemporaryFolder folder;
  std::ofstream lines(folder.path() / "memory.jsonl");
  for (std::size_t i = 0; i < Memory::max_facts; ++i) {
    lines << R"({"id":"m)" << i << R"(","text":"fact )" << i << R"(","at":""})" << '\n';
  }
  lines.close();
  Memory memory(folder.path());
  const auto refused = memory.remember("one more");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("forget"));
}

// The toolbox

class ToolboxTest : public testing::Test {
 protected:
  json::object run(std::string name, std::string arguments) {
    const auto result = await(toolbox.run({.id = "c", .name = std::move(name), .arguments = std::move(arguments)}));
    auto content = json::parse(result.content).as_object();
    EXPECT_EQ(result.failed, content.contains("error"));
    return content;
  }
  std::string error(std::string name, std::string arguments) {
    const auto result = run(std::move(name), std::move(arguments));
    return result.contains("error") ? std::string(result.at("error").as_string()) : "no error";
  }
  std::vector<Tool> all() {
    std::vector<Tool> tools;
    for (auto& group :
         {page_tools(pages.url(), "bt_mine"), search_tools(pages.url(), "box-token"), file_tools(workspace, files),
          edit_tools(workspace, files), document_tools(pages.url(), "box-token"), memory_tools(memory, files),
          history_tools([this](std::string_view words, std::size_t limit) { return conversation.search(words, limit); },
                        files, "owner"),
          git_tools(repository, files), schedule_tools(pages.url(), "box-token"), skill_tools(workspace, files),
          message_tools(pages.url(), "ag_1", "box-token"), feed_tools(pages.url(), "box-token"),
          media_tools(pages.url(), "box-token"), payment_tools(pages.url(), "box-token"),
          owner_tools(pages.url(), "box-token")}) {
      tools.insert(tools.end(), group.begin(), group.end());
    }
    for (auto& tool : delegation.tools()) tools.push_back(std::move(tool));
    return tools;
  }

  TemporaryFolder folder;
  boost::asio::thread_pool files{1};
  ScriptedServer pages{[](const Received& request) {
    const auto url = std::string(request.json().at("url").as_string());
    if (url == "https://broken.test") return http(500, R"({"error":"the page answered 404"})");
    if (url == "https://odd.test") return http(200, "<html>", "", "text/html");
    if (url == "https://killer.test") return std::string();
    return http(200, R"({"url":"https://x.test","title":"X","paragraphs":[")" + std::string(5'000, 'p') + R"("]})");
  }};
  Workspace workspace{folder.path()};
  Repository repository{folder.path(), {"/.agentbox/conversation.jsonl*"}};
  Memory memory{workspace.state_folder_path()};
  Conversation conversation{workspace.state(conversation_file), 10'000};
  ModelClient model{pages.url(), "box-token", ""};
  const Toolbox of_sub_agents{file_tools(workspace, files)};
  Delegation delegation{model, of_sub_agents, "You are a sub-agent."};
  Toolbox toolbox{all()};
};

TEST_F(ToolboxTest, DescribesItsTools) {
  std::vector<std::string> names;
  for (const auto& tool : toolbox.definitions()) {
    names.push_back(tool.name);
    EXPECT_FALSE(tool.description.empty());
    EXPECT_EQ(tool.parameters.at("type"), "object") << tool.name;
    const auto& properties = tool.parameters.at("properties").as_object();
    for (const auto& [name, property] : properties) EXPECT_TRUE(property.at("type").is_string()) << tool.name << name;
  }
  // The box says at each turn whether there are those for commands and for a browser.
  const auto is_of_box = [](std::string_view name) {
    constexpr std::string_view for_commands[] = {"run_command", "run_code",   "start_process",
                                                 "read_output", "send_input", "stop_process"};
    return name.starts_with("browser_") || std::ranges::find(for_commands, name) != std::end(for_commands);
  };
  std::vector<std::string> own;
  for (const auto name : tool_names)
    if (!is_of_box(name)) own.emplace_back(name);
  EXPECT_THAT(names, testing::ElementsAreArray(own));
  EXPECT_THAT(json::serialize(toolbox.definitions()[5].parameters), HasSubstr("content"));
}

TEST_F(ToolboxTest, WorksOnFiles) {
  EXPECT_EQ(run("write_file", R"({"path":"a/b.txt","content":"line 1\nline 2"})").at("size"), 13);
  EXPECT_EQ(run("read_file", R"({"path":"a/b.txt"})").at("content"), "1\tline 1\n2\tline 2\n");
  EXPECT_EQ(run("list_files", "{}").at("entries").as_array().size(), 2u);
  EXPECT_EQ(run("list_files", R"({"path":null})").at("entries").as_array().size(), 2u);
  EXPECT_THAT(error("read_file", R"({"path":"../x"})"), HasSubstr("'..'"));
  EXPECT_THAT(error("write_file", R"({"path":".git/hooks/pre-commit","content":"#!/bin/sh"})"), HasSubstr("reserved"));
}

TEST_F(ToolboxTest, ReportsInvalidCallsToTheModel) {
  EXPECT_THAT(error("fly", "{}"), HasSubstr("read_file"));
  EXPECT_THAT(error("", "{}"), HasSubstr("no tool"));
  EXPECT_THAT(error("read_file", "{\"path\": \"a"), HasSubstr("The arguments' text is not complete JSON at path"));
  EXPECT_THAT(error("read_file", "path"), HasSubstr("The arguments' text is not valid JSON"));
  EXPECT_THAT(error("read_file", "[]"), HasSubstr("JSON object"));
  EXPECT_THAT(error("read_file", "{}"), HasSubstr("path is required"));
  EXPECT_THAT(error("write_file", R"({"path":"a","content":5})"), HasSubstr("content must be"));
  EXPECT_THAT(error("git_log", R"({"limit":100000})"), HasSubstr("limit"));
}

TEST_F(ToolboxTest, AsksTheSummarizer) {
  const auto page = run("summarize_page", R"({"url":"https://x.test"})");
  EXPECT_EQ(page.at("title"), "X");
  EXPECT_LE(page.at("paragraphs").at(0).as_string().size(), 2'000u);
  EXPECT_EQ(pages.received().at(0).target, "/api/summarize");
  EXPECT_THAT(pages.received().at(0).head, HasSubstr("Authorization: Bearer bt_mine\r\n"));
  EXPECT_THAT(error("summarize_page", R"({"url":"https://broken.test"})"), HasSubstr("404"));
  EXPECT_THAT(error("extract_page", R"({"url":"https://odd.test"})"), HasSubstr("not a JSON object"));
}

// A page that brings the summarizer's process to its end costs this one answer, which is a bad gateway's.
TEST_F(ToolboxTest, ReportsThatTheSummarizerEnded) {
  for (const std::string name : {"summarize_page", "extract_page"}) {
    const auto tools = page_tools(pages.url(), "bt_mine");
    const auto tool = std::ranges::find(tools, name, [](const Tool& each) { return each.definition.name; });
    const auto answer = await(tool->run(json::object{{"url", "https://killer.test"}}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, web::Kind::bad_gateway);
    EXPECT_THAT(answer.error().message, HasSubstr("gave no answer for this page"));
  }
}

TEST_F(ToolboxTest, RemembersAndCommits) {
  const auto fact = run("remember", R"({"text":"Tea at four"})");
  EXPECT_EQ(run("recall", R"({"query":"tea"})").at("memories").at(0).at("id"), fact.at("id"));
  EXPECT_EQ(run("git_status", "{}").at("changes").as_array().size(), 1u);
  EXPECT_EQ(run("git_diff", "{}").at("patch"), "") << "new files are not tracked yet";
  EXPECT_EQ(run("git_commit", R"({"message":"Tea"})").at("committed"), true);
  EXPECT_EQ(run("git_commit", R"({"message":"Tea"})").at("committed"), false);
  EXPECT_EQ(run("git_log", "{}").at("commits").at(0).at("subject"), "Tea");
  EXPECT_EQ(run("forget", R"({"query":"tea"})").at("forgotten").as_array().size(), 1u);
}

TEST(Toolbox, ReportsExceptionsAndTruncatesLongResults) {
  std::vector<Tool> tools;
  tools.push_back({.definition = {.name = "throws"}, .run = [](json::value) -> web::Task<web::Result<json::value>> {
                     throw std::runtime_error("a bolt came loose");
                     co_return json::value();
                   }});
  tools.push_back({.definition = {.name = "talks"}, .run = [](json::value) -> web::Task<web::Result<json::value>> {
                     co_return json::value(std::string(200'000, 'x'));
                   }});
  const Toolbox toolbox(std::move(tools));
  const auto thrown = await(toolbox.run({.name = "throws", .arguments = "{}"}));
  EXPECT_TRUE(thrown.failed);
  EXPECT_THAT(thrown.content, HasSubstr("a bolt came loose"));
  const auto talked = await(toolbox.run({.name = "talks", .arguments = "{}"}));
  EXPECT_LT(talked.content.size(), 40'000u);
  EXPECT_EQ(json::parse(talked.content).at("truncated"), true);
}

}  // namespace tools_test
