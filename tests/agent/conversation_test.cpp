// The stored conversation: what survives, what a model sees of it, its summaries and its search.
#include "appliance/agent/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace conversation_test {

using namespace agent_process;
using namespace test_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view content) { std::ofstream(path, std::ios::binary) << content; }

models::Message says_user(std::string text) { return {.role = models::Role::user, .content = std::move(text)}; }
models::Message says_agent(std::string text) { return {.role = models::Role::assistant, .content = std::move(text)}; }
models::Message calls_tool(std::string id) {
  return {.role = models::Role::assistant, .tool_calls = {{.id = std::move(id), .name = "t", .arguments = "{}"}}};
}
models::Message tool_result(std::string id, std::string text = "{}") {
  return {.role = models::Role::tool, .content = std::move(text), .tool_call_id = std::move(id)};
}

class ConversationTest : public testing::Test {
 protected:
  std::vector<std::string> texts(const Conversation& conversation, std::int64_t tokens = 100'000) {
    std::vector<std::string> all;
    for (const auto& message : conversation.window(tokens)) all.push_back(message.content);
    return all;
  }
  TemporaryFolder folder;
  fs::path file = folder.path() / "conversation.jsonl";
};

TEST_F(ConversationTest, SurvivesRestartsAndATornLine) {
  {
    Conversation conversation(file, 10'000);
    conversation.append({says_user("Grüße"), says_agent("Hello")});
  }
  std::ofstream(file, std::ios::app) << R"({"role":"user","content":"tor)";
  {
    Conversation conversation(file, 10'000);
    EXPECT_THAT(texts(conversation), ElementsAre("Grüße", "Hello"));
    conversation.append({says_user("Again"), says_agent("Yes")});
  }
  Conversation conversation(file, 10'000);
  EXPECT_THAT(texts(conversation), ElementsAre("Grüße", "Hello", "Again", "Yes"));
}

TEST_F(ConversationTest, SkipsInvalidLines) {
  put(file,
      "nonsense\n{\"role\":\"robot\"}\n[]\n{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":"
      "\"b\"}\n");
  Conversation conversation(file, 10'000);
  EXPECT_THAT(texts(conversation), ElementsAre("a", "b"));
}

TEST_F(ConversationTest, ClosesAnInterruptedTurn) {
  {
    Conversation conversation(file, 10'000);
    conversation.append({says_user("Do two things"), calls_tool("1"), tool_result("1", "done"), calls_tool("2")});
  }
  Conversation conversation(file, 10'000);
  const auto window = conversation.window(10'000);
  ASSERT_THAT(window, SizeIs(4));
  EXPECT_EQ(window[2].content, "done");
  EXPECT_EQ(window[3].role, models::Role::assistant);
  EXPECT_THAT(window[3].content, HasSubstr("interrupted"));
  EXPECT_TRUE(window[3].tool_calls.empty());
}

TEST_F(ConversationTest, WindowHoldsTheNewestWholeTurns) {
  Conversation conversation(file, 1'000);
  for (int i = 0; i < 50; ++i) {
    conversation.append({says_user("question " + std::to_string(i)), calls_tool("c"), tool_result("c"),
                         says_agent("answer " + std::to_string(i))});
  }
  const auto window = conversation.window(250);
  EXPECT_EQ(window.front().role, models::Role::user);
  EXPECT_EQ(window.back().content, "answer 49");
  EXPECT_LT(window.size(), 40u);
  EXPECT_GT(window.size(), 3u);
  EXPECT_THAT(conversation.window(1), SizeIs(4)) << "the newest turn is always there";
  Conversation again(file, 1'000);
  EXPECT_EQ(again.window(250).size(), window.size());
}

TEST_F(ConversationTest, OmitsOldToolResultsOfALongTurn) {
  Conversation conversation(file, 2'000);
  conversation.append({says_user("go"), calls_tool("1"), tool_result("1", std::string(3'000, 'a')), calls_tool("2"),
                       tool_result("2", std::string(500, 'b'))});
  const auto window = conversation.window(500);
  ASSERT_THAT(window, SizeIs(5));
  EXPECT_THAT(window[2].content, HasSubstr("left out"));
  EXPECT_EQ(window[4].content, std::string(500, 'b'));
}

TEST_F(ConversationTest, IsCompactedAndStillSearchable) {
  {
    Conversation conversation(file, 10'000);
    for (int i = 0; i < 10; ++i)
      conversation.append(
          {says_user("question " + std::to_string(i)), says_agent("Heron number " + std::to_string(i))});
    const auto older = conversation.before_newest(100);
    ASSERT_THAT(older, testing::SizeIs(testing::AllOf(testing::Gt(4u), testing::Lt(20u))));
    conversation.compact(older.size(), "They spoke of herons.");
    EXPECT_EQ(texts(conversation).size(), 20 - older.size());
  }
  Conversation conversation(file, 10'000);
  EXPECT_EQ(conversation.summary(), "They spoke of herons.");
  EXPECT_THAT(texts(conversation), testing::Not(testing::Contains("question 0")));
  EXPECT_THAT(texts(conversation), testing::Contains("question 9"));
  EXPECT_THAT(conversation.window(10'000).front().role, models::Role::user);
  const auto found = conversation.search("heron NUMBER", 3);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].text, "Heron number 9") << "newest first";
  ASSERT_THAT(conversation.search("number 0", 3), SizeIs(1)) << "what the summary stands for is there";
  EXPECT_THAT(conversation.search("question pelican", 3), IsEmpty());
  conversation.compact(100, "All of it.");
  EXPECT_THAT(texts(conversation), IsEmpty());
}

TEST_F(ConversationTest, EarlierMessagesHaveTheirTime) {
  put(file, R"({"at":"2026-11-20T09:00:00.000Z","role":"user","content":"Good morning"})"
            "\n"
            R"({"at":"2026-11-20T09:00:05.000Z","role":"assistant","content":"Hello"})"
            "\n"
            R"({"at":"2026-11-20T09:01:00.000Z","role":"user","content":"A minute later"})"
            "\n"
            R"({"at":"2026-11-20T09:01:05.000Z","role":"assistant","content":"Yes"})"
            "\n"
            R"({"role":"user","content":"At some time"})"
            "\n"
            R"({"role":"assistant","content":"Yes"})"
            "\n");
  Conversation conversation(file, 10'000);
  conversation.append({says_user("Now"), says_agent("Here")});
  conversation.append({says_user("And now")});
  EXPECT_THAT(texts(conversation), ElementsAre("[2026-11-20 09:00 UTC] Good morning", "Hello", "A minute later", "Yes",
                                               "At some time", "Yes", "Now", "Here", "And now"));
}

TEST_F(ConversationTest, ReadsOnlyTheEndOfALongFile) {
  {
    Conversation conversation(file, 2'000);
    for (int i = 0; i < 500; ++i)
      conversation.append({says_user(std::string(100, 'q')), says_agent(std::to_string(i))});
  }
  Conversation conversation(file, 2'000);
  EXPECT_EQ(conversation.window(500).back().content, "499");
  EXPECT_EQ(conversation.window(500).front().role, models::Role::user);
}

}  // namespace conversation_test
