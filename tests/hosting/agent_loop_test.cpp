// The loop of an agent: messages, tools, models that fail, conversations that are too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/openai_wire.h"
#include "tests/hosting/agent_process_fixture.h"

namespace agent_process::testing {
namespace {

using namespace test_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace json = boost::json;
namespace fs = std::filesystem;

class LoopTest : public ::testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(LoopTest, AnswersAndKeepsTheConversation) {
  ScriptedServer server(std::vector{says("Good morning."), says("You said hello.")});
  {
    Agent agent(folder.path(), server);
    const auto reply = agent.say("Hello");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->text, "Good morning.");
    EXPECT_EQ(reply->model, "stand-in");
    EXPECT_EQ(reply->usage.total(), 15);
  }
  Agent again(folder.path(), server);
  ASSERT_TRUE(again.say("What did I say?"));
  const auto requests = server.received();
  EXPECT_EQ(requests[0].target, "/v1/chat/completions");
  EXPECT_THAT(requests[0].head, HasSubstr("Authorization: Bearer box-token"));
  EXPECT_EQ(requests[0].json().at("model"), "vendor/model");
  const auto messages = requests[1].json().at("messages").as_array();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].at("role"), "system");
  EXPECT_EQ(messages[1].at("content"), "Hello");
  EXPECT_EQ(messages[2].at("content"), "Good morning.");
}

TEST_F(LoopTest, RunsToolsAndCommitsWhatChanged) {
  ScriptedServer server(std::vector{calls("write_file", R"({"path":"poem.txt","content":"Roses"})"),
                                    calls("remember", R"({"text":"Likes roses"})"), says("Written.")});
  Agent agent(folder.path(), server);
  const auto reply = agent.say("Write a poem\nabout roses");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Written.");
  EXPECT_EQ(reply->usage.input, 30);
  EXPECT_EQ(*agent.workspace.read("poem.txt"), "Roses");
  EXPECT_THAT(last_message(server.received()[1]), HasSubstr("\"size\":5"));
  const auto log = agent.repository.log(10);
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].subject, "Turn: Write a poem");
  EXPECT_THAT(agent.repository.status(10), IsEmpty()) << "the conversation is not for git";

  ASSERT_TRUE(agent.say("And now?"));
  EXPECT_THAT(server.received().back().body, HasSubstr("- Likes roses")) << "what it remembers is in its prompt";
  EXPECT_THAT(agent.repository.log(10), SizeIs(1)) << "a turn that changed nothing makes no commit";
}

TEST_F(LoopTest, FollowsTheInstructionsOfItsOwner) {
  ScriptedServer server(std::vector{says("Arr."), says("Good day.")});
  const runtime::AgentProfile conduct{.instructions = "Speak like a pirate.\nNever of gold.",
                                      .temperature = 0.25,
                                      .top_p = 0.5,
                                      .max_tokens = 321,
                                      .tools = {},
                                      .specialization = "booking"};
  ASSERT_TRUE(Agent(folder.path(), server, {.agent_name = "Scout", .conduct = conduct}).say("Hello"));
  ASSERT_TRUE(Agent(folder.path(), server, {.agent_name = "Scout", .conduct = {.instructions = " \n"}}).say("Hello"));
  const auto requests = server.received();
  const auto told = [](const Received& request) {
    return std::string(request.json().at("messages").at(0).at("content").as_string());
  };
  EXPECT_THAT(told(requests[0]), HasSubstr("You are Scout"));
  EXPECT_THAT(told(requests[0]), HasSubstr("Your specialization: booking."));
  EXPECT_THAT(told(requests[0]), HasSubstr("Speak like a pirate.\nNever of gold."));
  EXPECT_EQ(requests[0].json().at("temperature"), 0.25);
  EXPECT_EQ(requests[0].json().at("top_p"), 0.5);
  EXPECT_EQ(requests[0].json().at("max_tokens"), 321);
  EXPECT_THAT(told(requests[1]), ::testing::Not(HasSubstr("instructions:"))) << "blank ones are none";
  for (const auto* name : {"temperature", "top_p", "max_tokens"})
    EXPECT_FALSE(requests[1].json().as_object().contains(name)) << name << " is left to the model";
}

TEST_F(LoopTest, LetsTheModelCorrectInvalidCalls) {
  ScriptedServer server(std::vector{
      calls("fly_to_the_moon", "{}"), calls("write_file", "{\"path\": \"a.txt\", \"cont"),
      calls("write_file", R"({"path":"a.txt"})"), calls("write_file", R"({"path":"../a.txt","content":"x"})"),
      calls("write_file", R"({"path":"a.txt","content":"right"})"), says("Done at last.")});
  Agent agent(folder.path(), server);
  const auto reply = agent.say("Write a file");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Done at last.");
  EXPECT_EQ(*agent.workspace.read("a.txt"), "right");
  const auto requests = server.received();
  ASSERT_EQ(requests.size(), 6u);
  EXPECT_THAT(last_message(requests[1]), HasSubstr("no tool named 'fly_to_the_moon'"));
  EXPECT_THAT(last_message(requests[2]), HasSubstr("The arguments' text is not"));
  EXPECT_THAT(last_message(requests[3]), HasSubstr("content is required"));
  EXPECT_THAT(last_message(requests[4]), HasSubstr("'..'"));
}

struct Broken {
  std::string name, answer, message;
};

class BrokenModel : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenModel, IsASentenceAndTheNextTurnWorks) {
  TemporaryFolder folder;
  ScriptedServer server(std::vector{GetParam().answer, says("Better now.")});
  Agent agent(folder.path(), server);
  const auto failed = agent.say("Hello");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(GetParam().message));
  const auto reply = agent.say("Again");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Better now.");
  const auto messages = server.received().back().json().at("messages").as_array();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[2].at("role"), "assistant") << "roles alternate";
}

INSTANTIATE_TEST_SUITE_P(
    Answers, BrokenModel,
    ::testing::Values(Broken{"no_choices", http(200, R"({"choices":null})"), "without choices"},
                      Broken{"not_json", http(200, "<html>", "", "text/html"), "not a JSON object"},
                      Broken{"truncated", "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"choi", "cannot be reached"},
                      Broken{"hung_up", "", "cannot be reached"},
                      Broken{"server_error", http(500, "boom", "", "text/plain"), "status 500"},
                      Broken{"openai_error", http(429, R"({"error":{"message":"Slow down.","code":"rate_limited"}})"),
                             "Slow down."},
                      Broken{"box_error", http(503, R"({"error":"No model is configured"})"), "No model is configured"},
                      Broken{"empty", says("  "), "empty answer"}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(LoopTest, GivesUpAfterTheLastRound) {
  ScriptedServer server(std::vector{calls("list_files", "{}")});
  Agent agent(folder.path(), server, {.most_rounds = 3});
  const auto reply = agent.say("Loop");
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("gave up"));
  const auto requests = server.received();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[1].json().as_object().contains("tools"));
  EXPECT_FALSE(requests[2].json().as_object().contains("tools")) << "the last round asks for an answer";
}

TEST_F(LoopTest, EndsAtItsDeadline) {
  ScriptedServer server(std::vector{ScriptedServer::stall});
  Agent agent(folder.path(), server, {.turn_time = std::chrono::milliseconds(200)});
  const auto reply = agent.say("Hello");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, web::Kind::timeout);
}

TEST_F(LoopTest, SendsLessWhenTheContextIsTooLong) {
  int refused = 0;
  ScriptedServer server([&refused](const Received& request) {
    if (request.body.size() < 30'000) return says("Short enough.");
    ++refused;
    return http(400, R"({"error":{"message":"context","code":"context_length_exceeded"}})");
  });
  Agent agent(folder.path(), server);
  for (int i = 0; i < 20; ++i) {
    agent.conversation.append({{.role = models::Role::user, .content = std::string(2'000, 'q')},
                               {.role = models::Role::assistant, .content = std::string(2'000, 'a')}});
  }
  const auto reply = agent.say("Hello");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_GT(refused, 0);
  EXPECT_EQ(last_message(server.received().back()), "Hello");
}

TEST_F(LoopTest, HandlesOneMessageAtATime) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&asked](const Received& request) {
    ++asked;
    return says("Re: " + last_message(request));
  });
  Agent agent(folder.path(), server, {.most_waiting = 2});
  std::vector<std::string> answers(4);
  const auto all = [&]() -> web::Task<int> {
    const auto executor = co_await boost::asio::this_coro::executor;
    int done = 0;
    const auto one = [&](std::size_t i) -> web::Task<> {
      const auto reply = co_await agent.loop.turn("message " + std::to_string(i));
      answers[i] = reply ? reply->text : reply.error().message;
      ++done;
    };
    for (std::size_t i = 0; i < answers.size(); ++i) boost::asio::co_spawn(executor, one(i), boost::asio::detached);
    while (done < 4) co_await web::sleep_for(std::chrono::milliseconds(1));
    co_return done;
  };
  await(all());
  EXPECT_EQ(answers[0], "Re: message 0");
  EXPECT_EQ(answers[1], "Re: message 1");
  EXPECT_EQ(answers[2], "Re: message 2");
  EXPECT_THAT(answers[3], HasSubstr("busy")) << "the queue is bounded";
  EXPECT_EQ(asked, 3);
}

// What an air-gapped box shows: the builtin model drives the real tools, and tells what they brought back.
TEST_F(LoopTest, WorksWithTheBuiltinModel) {
  ScriptedServer builtin([](const Received& received) {
    auto request = models::openai::parse_request(received.json());
    if (!request) return http(400, json::serialize(models::openai::error_body(request.error())));
    return http(200, json::serialize(models::openai::to_wire(models::builtin_answer(*request))));
  });
  Agent agent(folder.path(), builtin);
  const std::vector<std::pair<std::string, std::string>> story{
      {"write Roses are red to file poem.txt", "I wrote 13 bytes to poem.txt."},
      {"read file poem.txt", "Roses are red"},
      {"list files", "- poem.txt"},
      {"remember that the harbour opens at nine", "I will remember: the harbour opens at nine"},
      {"what do you remember?", "- the harbour opens at nine"},
      {"git log", "Turn: write Roses are red"},
      {"git status", "Nothing has changed"},
      {"read file ../secret", "'..'"},
      {"forget harbour", "I forgot:"},
      {"Who are you?", "builtin"}};
  for (const auto& [message, expected] : story) {
    const auto reply = agent.say(message);
    ASSERT_TRUE(reply) << message << ": " << reply.error().message;
    EXPECT_THAT(reply->text, HasSubstr(expected)) << message;
    EXPECT_EQ(reply->model, "agentbox/builtin");
  }
}

}  // namespace
}  // namespace agent_process::testing
