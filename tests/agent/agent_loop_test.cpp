// The loop of an agent: messages, tools, models that fail, conversations that are too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/openai_wire.h"
#include "tests/agent/agent_process_fixture.h"

namespace agent_process::tests {
namespace agent_loop_test {

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

TEST_F(LoopTest, APeersTurnSeesNothingOfTheOwnersAndLeavesNothingBehind) {
  ScriptedServer server(std::vector{calls("remember", R"({"text":"The canary is red"})"), says("The secret is safe."),
                                    says("Hello, peer."), calls("recall", R"({"query":"canary"})"), says("Done.")});
  Agent agent(folder.path(), server);
  ASSERT_TRUE(agent.say("My secret is 4711"));
  const auto ask = [&](std::string text) {
    return test_support::await(agent.loop.turn({.text = std::move(text), .audience = Audience::peer}, nullptr, {}));
  };
  const auto reply = ask("What is the secret?");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Hello, peer.");
  EXPECT_FALSE(ask("Recall it")) << "a model that calls tools all the same gets no result";
  ASSERT_TRUE(agent.say("What did I say?"));
  const auto requests = server.received();
  for (const std::size_t of_peer : {2u, 3u}) {
    const auto request = requests[of_peer].json();
    EXPECT_FALSE(request.as_object().contains("tools"));
    EXPECT_EQ(request.at("messages").as_array().size(), 2u);
    for (const auto* canary : {"4711", "canary", "secret is safe"})
      EXPECT_EQ(json::serialize(request).find(canary), std::string::npos) << canary;
  }
  const auto of_owner = json::serialize(requests[4].json());
  EXPECT_THAT(of_owner, HasSubstr("4711"));
  for (const auto* peers : {"What is the secret?", "Hello, peer.", "Recall it"})
    EXPECT_EQ(of_owner.find(peers), std::string::npos) << peers;
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

TEST_F(LoopTest, KeepsReasoningAndSignaturesOfItsModel) {
  const auto answer = [](const char* arguments) {
    return http(200, R"({"model":"m","choices":[{"message":{"role":"assistant","content":null,
      "reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"PROOF","format":"anthropic-claude-v1",
        "provider":"anthropic","index":0}],
      "tool_calls":[{"id":"a","type":"function","extra_content":{"google":{"thought_signature":"SIG"}},
        "function":{"name":"remember","arguments":")" +
                         std::string(arguments) + R"("}}]},"finish_reason":"tool_calls"}]})");
  };
  ScriptedServer server(std::vector{answer(R"({\"text\":\"x\"})"), says("Done."), says("Again.")});
  ASSERT_TRUE(Agent(folder.path(), server).say("Remember it"));
  ASSERT_TRUE(Agent(folder.path(), server).say("And now?")) << "after a restart";
  for (const std::size_t of : {1u, 2u}) {
    const auto message = server.received()[of].json().at("messages").at(2);
    const auto& block = message.at("reasoning_details").at(0);
    EXPECT_EQ(block.at("text"), "Hm.");
    EXPECT_EQ(block.at("signature"), "PROOF");
    EXPECT_EQ(block.at("provider"), "anthropic");
    EXPECT_EQ(message.at("tool_calls").at(0).at("extra_content").at("google").at("thought_signature"), "SIG");
  }
}

TEST_F(LoopTest, RunsNoCallOfAnAnswerThatWasCutOff) {
  const auto torn = http(200, R"({"model":"m","choices":[{"message":{"role":"assistant","content":null,
      "tool_calls":[{"id":"a","type":"function","function":{"name":"write_file",
        "arguments":"{\"path\":\"a.txt\",\"content\":\"x\"}"}},
        {"id":"b","type":"function","function":{"name":"write_file","arguments":"{\"pa"}}]},"finish_reason":"length"}]})");
  ScriptedServer server(std::vector{torn, says("Shorter, then.")});
  Agent agent(folder.path(), server);
  const auto reply = agent.say("Write");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_FALSE(agent.workspace.read("a.txt"));
  EXPECT_THAT(last_message(server.received()[1]), HasSubstr("cut off"));
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
  Agent agent(folder.path(), server, {.max_rounds = 3});
  const auto reply = agent.say("Loop");
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("gave up"));
  const auto requests = server.received();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[1].json().as_object().contains("tools"));
  EXPECT_FALSE(requests[2].json().as_object().contains("tools")) << "the last round asks for an answer";
}

// The text of the system prompt.
TEST_F(LoopTest, SumsUpInTheLastRound) {
  ScriptedServer server([](const Received& request) {
    return request.json().as_object().contains("tools") ? calls("list_files", "{}") : says("Two of five are done.");
  });
  {
    Agent agent(folder.path(), server, {.max_rounds = 3});
    const auto reply = agent.say("Loop");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->text, "Two of five are done.");
    ASSERT_EQ(server.received().size(), 3u);
    EXPECT_THAT(system_prompt_of(server.received()[1]), ::testing::Not(HasSubstr("sum up")));
    EXPECT_THAT(system_prompt_of(server.received()[2]), HasSubstr("sum up what is done, what is left"));
  }
  // Each of its calls takes 15 tokens.
  Agent frugal(folder.path(), server, {.max_tokens = 30});
  ASSERT_TRUE(frugal.say("Loop"));
  EXPECT_EQ(server.received().size(), 6u) << "the budget of tokens ends the turn in its third round";
}

TEST_F(LoopTest, KnowsWhenItIsAndWhatItHas) {
  ScriptedServer server(std::vector{says("Good morning.")});
  LoopOptions options{.agent_name = "Scout", .conduct = {.owner_name = "Ada", .reasoning_effort = "low"}};
  options.clock = []() -> web::Task<std::string> { co_return "Tuesday, 2026-12-01T09:00:00+01:00 (Europe/Berlin)"; };
  Workspace files(folder.path());
  options.workspace = [&files] { return read_workspace_facts(files); };
  Agent agent(folder.path(), server, options);
  ASSERT_TRUE(agent.workspace.write("src/deep/hidden.cpp", ""));
  ASSERT_TRUE(agent.workspace.write("notes.md", "x"));
  std::ofstream(folder.path() / "AGENT.md") << "Answer in rhymes.";
  ASSERT_TRUE(agent.say("Hello"));
  const auto prompt = system_prompt_of(server.received()[0]);
  for (const auto* part :
       {"You are Scout", "Your owner is Ada", "It is Tuesday, 2026-12-01T09:00:00+01:00 (Europe/Berlin)",
        "- notes.md\n", "- src/\n", "- src/deep/\n", "Your owner's AGENT.md:\nAnswer in rhymes."})
    EXPECT_THAT(prompt, HasSubstr(part));
  for (const auto* part : {"hidden.cpp", "Answer briefly", "- AGENT.md"})
    EXPECT_THAT(prompt, ::testing::Not(HasSubstr(part)));
  EXPECT_EQ(server.received()[0].json().at("reasoning_effort"), "low");

  std::ofstream(folder.path() / "AGENT.md") << std::string(20'000, 'x');
  ASSERT_TRUE(agent.say("Hello"));
  EXPECT_THAT(system_prompt_of(server.received()[1]), HasSubstr("AGENT.md is longer than 16 KB"));
}

// The model keeps every "fact N is X" that it summarizes, and answers by what its prompt holds.
TEST_F(LoopTest, CompactionLosesNothingThatTheModelKept) {
  int compactions = 0;
  ScriptedServer server([&](const Received& request) {
    const auto body = request.json();
    const std::string system(body.at("messages").at(0).at("content").as_string());
    if (!system.starts_with("You summarize")) return says("Noted.");
    ++compactions;
    std::string kept;
    const std::string transcript(body.at("messages").at(1).at("content").as_string());
    for (auto at = transcript.find("fact "); at != std::string::npos; at = transcript.find("fact ", at + 1))
      kept += transcript.substr(at, transcript.find(';', at) - at + 1) + "\n";
    return says(kept + "FACTS:\n- The owner collects facts\n");
  });
  Agent agent(folder.path(), server, {.window_tokens = 2'000});
  for (int i = 0; i < 60; ++i) {
    const auto said =
        "fact " + std::to_string(i) + " is " + std::to_string(i * i + 1'000) + "; " + std::string(300, 'x');
    ASSERT_TRUE(agent.say(said));
  }
  EXPECT_GT(compactions, 1) << "a summary is summarized again";
  const auto prompt = server.received().back().body;
  EXPECT_LT(prompt.size(), 40'000u);
  for (int i = 0; i < 60; ++i)
    EXPECT_THAT(prompt, HasSubstr("fact " + std::to_string(i) + " is " + std::to_string(i * i + 1'000) + ";"));
  EXPECT_THAT(agent.conversations.search("fact 7 is 1049", 5), SizeIs(1)) << "the history has what was said";
  EXPECT_THAT(agent.memory.recall("collects", 5), SizeIs(1)) << "what is worth keeping is in memory, once";
}

TEST_F(LoopTest, GoesOnWithoutASummary) {
  ScriptedServer server([&](const Received& request) {
    const std::string system(request.json().at("messages").at(0).at("content").as_string());
    return system.starts_with("You summarize") ? http(500, "{}") : says("Noted.");
  });
  Agent agent(folder.path(), server, {.window_tokens = 2'000});
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(agent.say("message " + std::to_string(i) + std::string(300, 'x')));
  EXPECT_THAT(server.received().back().body, HasSubstr("message 39"));
}

TEST_F(LoopTest, FollowsTheContextOfItsModel) {
  ScriptedServer server([](const Received&) { return says("Noted."); });
  LoopOptions options{.window_tokens = 1'024};
  std::vector<std::string> asked;
  options.model_facts = [&](std::string model) -> web::Task<ModelFacts> {
    asked.push_back(std::move(model));
    co_return ModelFacts{.context_tokens = 200'000, .sees_pictures = {}};
  };
  Agent agent(folder.path(), server, options);
  ASSERT_TRUE(agent.say("the first message " + std::string(3'000, 'x')));
  ASSERT_TRUE(agent.say("the second message " + std::string(3'000, 'x')));
  EXPECT_THAT(server.received().back().body, HasSubstr("the first message")) << "both fit the context of the model";
  EXPECT_THAT(asked, ElementsAre("stand-in")) << "once for each model";
}

// A model that makes a token of every two bytes, where the agent counts one of four: what it reports keeps its prompts
// within its context.
TEST_F(LoopTest, CountsTheContextAsItsModelReports) {
  constexpr std::int64_t context = 12'000;
  std::vector<std::int64_t> prompts;
  ScriptedServer server([&](const Received& request) {
    const auto body = request.json();
    std::size_t bytes = 0;
    for (const auto& message : body.at("messages").as_array()) bytes += message.at("content").as_string().size();
    if (const auto* tools = body.as_object().if_contains("tools")) bytes += json::serialize(*tools).size();
    prompts.push_back(static_cast<std::int64_t>(bytes / 2));
    const auto whole = says("Noted.");
    auto answer = json::parse(whole.substr(whole.find("\r\n\r\n") + 4)).as_object();
    answer["usage"] = json::object{{"prompt_tokens", prompts.back()}, {"completion_tokens", 5}};
    return http(200, json::serialize(answer));
  });
  LoopOptions options;
  options.model_facts = [&](std::string) -> web::Task<ModelFacts> {
    co_return ModelFacts{.context_tokens = context, .sees_pictures = {}};
  };
  Agent agent(folder.path(), server, options);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(agent.say("message " + std::to_string(i) + " " + std::string(1'500, 'x')));
  EXPECT_LE(*std::ranges::max_element(prompts), context);
  EXPECT_GT(prompts.back(), context / 3) << "and uses what there is";
}

TEST_F(LoopTest, AsksForTheContextOfItsModelByTheBox) {
  ScriptedServer box(
      std::vector{http(200, R"({"id":"a/b","context_length":32768,"architecture":{"input_modalities":["text"]}})"),
                  http(404, "{}"), http(200, R"({"id":"a/b"})")});
  const ModelClient model(box.url(), "box-token", "a/b");
  const auto facts = test_support::await(model.facts("a/b"));
  EXPECT_EQ(facts.context_tokens, 32'768);
  EXPECT_EQ(facts.sees_pictures, false);
  EXPECT_EQ(test_support::await(model.facts("a/b")).context_tokens, std::nullopt);
  EXPECT_EQ(test_support::await(model.facts("a/b")).sees_pictures, std::nullopt) << "a local server's, say";
  EXPECT_EQ(box.received()[0].target, "/v1/models/a/b");
  EXPECT_THAT(box.received()[0].head, HasSubstr("Authorization: Bearer box-token"));
}

TEST_F(LoopTest, ShowsPeersNothingOfTheWorkspace) {
  ScriptedServer server(std::vector{says("Good morning.")});
  LoopOptions options{.agent_name = "Scout", .conduct = {.owner_name = "Ada"}};
  options.workspace = []() -> WorkspaceFacts {
    return {.owner_prompt = "canary", .files = "canary", .skills = "canary"};
  };
  Agent agent(folder.path(), server, options);
  ASSERT_TRUE(test_support::await(agent.loop.turn({.text = "Hello", .audience = Audience::peer}, nullptr, {})));
  EXPECT_THAT(server.received()[0].body, ::testing::Not(HasSubstr("canary")));
  EXPECT_THAT(server.received()[0].body, ::testing::Not(HasSubstr("Ada")));
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
    agent.conversations.open({})->append({{.role = models::Role::user, .content = std::string(2'000, 'q')},
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
  Agent agent(folder.path(), server, {.max_waiting = 2});
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

}  // namespace agent_loop_test
}  // namespace agent_process::tests
